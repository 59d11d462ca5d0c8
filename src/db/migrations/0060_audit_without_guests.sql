-- Version 0.1.0 wrote names and references of guests into the entries about vouchers: of changes as values, of surplus vouchers as
-- the name of the entry. The audit now says only which of these fields changed. The fields are those of
-- src/domain/record/guest-fields.ts.
create function audit_has_guest_data(action text, details jsonb) returns boolean
language sql immutable parallel safe
return split_part(action, '.', 1) = 'voucher'
  and (details ?| '{name,reference}' or details -> 'changes' ?| '{name,reference}' or details -> 'before' ?| '{name,reference}');

-- The details of an entry without names and references. Before 0.1.0, the details of a change were the new values themselves.
create function audit_without_guest_data(action text, details jsonb) returns jsonb
language sql immutable parallel safe
return case
  when not coalesce(audit_has_guest_data(action, details), false) then details
  when action <> 'voucher.changed' then details - '{name,reference}'::text[]
  else (details - '{name,reference,changes,before,validUntil}'::text[])
    || jsonb_build_object(
         'changes', case when details ? 'changes' then (details -> 'changes') - '{name,reference}'::text[]
                         when details ? 'validUntil' then jsonb_build_object('validUntil', details -> 'validUntil')
                         else '{}' end,
         'guestFields', (select coalesce(jsonb_agg(field), '[]') from unnest('{name,reference}'::text[]) as field
                          where case when details ? 'changes' then details -> 'changes' else details end ? field))
    || case when details ? 'before'
            then jsonb_build_object('before', (details -> 'before') - '{name,reference}'::text[]) else '{}' end
  end;

-- Removes names and references from some entries, and returns from how many. It runs as the owner of the table, because the role
-- of the service may only add entries. Processes of 0.1.0 may still write names, so the worker repeats it.
create function strip_audit(max_rows integer) returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
  with found as materialized (
    select id from audit
     where split_part(action, '.', 1) = 'voucher'
       and (details ?| '{name,reference}' or details -> 'changes' ?| '{name,reference}' or details -> 'before' ?| '{name,reference}')
     limit least(max_rows, 1000) for update skip locked
  ), stripped as (
    update audit set details = audit_without_guest_data(action, details) where id in (select id from found) returning 1
  )
  select count(*)::integer from stripped;
end;
