-- Names on the controller begin with a date: 2026-11-15_Room 12.
create function without_date(name text) returns text language sql immutable strict parallel safe
  return regexp_replace(name, '^\d{4}-\d\d-\d\d_', '');

-- `name` is what the client sent, or the controller's note without its date. `controller_name` never changes.
drop index vouchers_by_name;
alter table vouchers rename name to controller_name;
alter table vouchers add name text;
update vouchers set name = without_date(controller_name);
alter table vouchers alter name set not null;
create index vouchers_by_name on vouchers using gin (site_id, name gin_trgm_ops);

alter table creations rename name to controller_name;
alter table creations add name text generated always as (without_date(controller_name)) stored;
alter table batch_rows rename name to controller_name;
alter table batch_rows add name text generated always as (without_date(controller_name)) stored;

-- A stay can be extended: the controller's minutes last until `extendable_until`, and the service withdraws the voucher at
-- `valid_until`.
alter table batches
  add extendable_until timestamptz(3),
  add unused_days integer check (unused_days > 0);
alter table templates add unused_days integer check (unused_days > 0);
alter table creations
  add unused_days integer,
  -- Whether the controller got fewer minutes than the client asked for.
  add minutes_cut boolean not null default false,
  -- `revoked_at` counts only if nobody has used the voucher.
  add revoked_only_unused boolean not null default false;
alter table vouchers
  add minutes_cut boolean not null default false,
  -- At this time the voucher is withdrawn if nobody has used it.
  add unused_until timestamptz(3);

alter table withdrawals
  -- repair: the voucher should not be on the controller, and nobody is told about it.
  add reason text check (reason in ('request', 'valid_until', 'unused', 'repair')),
  -- Withdraw the voucher only if nobody has used it.
  add only_unused boolean not null default false,
  -- What became of the devices that were online with the voucher.
  add disconnected text check (disconnected in ('all', 'none_online', 'unsupported', 'failed')),
  drop constraint withdrawals_outcome_check,
  -- kept: somebody had used a voucher that was to be withdrawn only if unused.
  add constraint withdrawals_outcome_check check (outcome in ('revoked', 'ended', 'kept', 'failed'));
update withdrawals w set reason = case
  when revocation_id is not null then 'request'
  when exists (select from vouchers v where v.site_id = w.site_id and v.id = w.voucher_id and v.valid_until = w.due_at)
    then 'valid_until'
  else 'repair' end;
alter table withdrawals alter reason set not null;
-- A voucher has one end, which a change moves.
create unique index withdrawals_scheduled on withdrawals (site_id, voucher_id)
  where reason = 'valid_until' and settled_at is null;

-- Requests with an Idempotency-Key whose result is not a row of its own, such as a change of a voucher.
create table remembered_requests (
  actor text not null,
  operation text not null,
  idempotency_key text not null,
  request_hash bytea not null,
  result jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (actor, operation, idempotency_key)
);
create index remembered_requests_by_time on remembered_requests (created_at);
