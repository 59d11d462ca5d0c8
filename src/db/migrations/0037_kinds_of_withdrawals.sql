-- Runs in steps, without a transaction.
-- True for the withdrawals of a revocation of more than 50 vouchers. Everything else goes first.
alter table withdrawals add column if not exists is_bulk boolean not null default false;
-- Workers take the withdrawals of one kind after the other. Different kinds do not wait for each other. The first index finds
-- the sites with due withdrawals of a kind, the second the withdrawals of a site and a kind.
create index concurrently withdrawals_due_by_kind on withdrawals
  ((case when is_bulk or reason = 'repair' then 'bulk' when only_unused then 'conditional'
         when reason = 'valid_until' then 'end' else 'small' end), next_attempt_at, site_id)
  where settled_at is null;
create index concurrently withdrawals_due_by_site_and_kind on withdrawals
  (site_id, (case when is_bulk or reason = 'repair' then 'bulk' when only_unused then 'conditional'
                  when reason = 'valid_until' then 'end' else 'small' end), next_attempt_at)
  where settled_at is null;
