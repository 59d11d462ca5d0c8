-- Nothing that the service can add may prevent reading the audit: the details are an object, not too deep and not too long for
-- JSON. Changes of 200 groups with 1,000 sites each have about 4 MB.
alter table audit add constraint audit_details_readable check (
  jsonb_typeof(details) = 'object'
  and coalesce(jsonb_typeof(details -> 'changes'), 'object') = 'object'
  and coalesce(jsonb_typeof(details -> 'before'), 'object') = 'object'
  and not jsonb_path_exists(details, 'strict $.**{20}')
  and octet_length(details::text) <= 8000000) not valid;
alter table audit add constraint audit_texts_readable check (
  octet_length(actor_name) <= 10000 and octet_length(action) <= 200
  and octet_length(target_kind) <= 200 and octet_length(target_id) <= 200) not valid;

-- An entry has the time at which its transaction began. Later than this, a transaction cannot add entries any more, so nobody can
-- keep one open to add an entry to the past. The export depends on it too.
create function audit_longest_transaction() returns interval
language sql immutable parallel safe
return interval '5 minutes';

create function reject_late_audit() returns trigger
language plpgsql as $$
begin
  raise exception 'the transaction began too long ago to add entries to the audit';
end $$;
-- After the insert, so that the transaction has its id already. The export sees that it writes, or this check comes after the export.
create trigger reject_late_audit after insert on audit for each statement
  when (clock_timestamp() - transaction_timestamp() > audit_longest_transaction())
  execute function reject_late_audit();
