-- The version of a site's voucher list. A process keeps a rendered list for as long as this number stands still.
-- Narrow, updated in place, and moved by the database itself, so that no statement can change a list and forget it.
create table site_versions (
  site_id integer primary key,
  version bigint not null
) with (fillfactor = 50);

create function move_site_versions() returns trigger language plpgsql as $$
begin
  -- In site order: two statements that touch the same sites wait for each other instead of deadlocking.
  insert into site_versions as current (site_id, version)
    select site_id, 1 from changed group by site_id order by site_id
    on conflict (site_id) do update set version = current.version + 1;
  return null;
end $$;

create trigger vouchers_inserted after insert on vouchers
  referencing new table as changed for each statement execute function move_site_versions();
create trigger vouchers_updated after update on vouchers
  referencing new table as changed for each statement execute function move_site_versions();
create trigger vouchers_deleted after delete on vouchers
  referencing old table as changed for each statement execute function move_site_versions();
