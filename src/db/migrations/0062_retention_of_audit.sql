-- How many days the audit is kept. Null: for ever. Only the owner of the tables may change it: `migrate` stores RETAIN_AUDIT_DAYS.
create table audit_retention (
  only_one boolean primary key default true check (only_one),
  days integer check (days >= 30)
);
insert into audit_retention (days) values (null);

-- Deletes the oldest entries that are no longer kept, and returns how many. It runs as the owner of the table, because the role
-- of the service may only add entries. A caller cannot choose the number of days.
create function delete_old_audit(max_rows integer) returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp
begin atomic
  with old as materialized (
    select id from audit
     where at < now() - (select make_interval(hours => 24 * days) from audit_retention)
     order by at limit least(max_rows, 2000) for update skip locked
  ), deleted as (
    delete from audit where id in (select id from old) returning 1
  )
  select count(*)::integer from deleted;
end;
