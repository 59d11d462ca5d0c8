-- The version of a site's voucher list. A process uses a rendered list as long as this version is the same.
-- Triggers of the database change it, so that no statement on `vouchers` can change a list without its version. Only a
-- statement on a single partition could, and there is none.
create table site_versions (
  site_id integer primary key,
  version bigint not null
) with (fillfactor = 50);

-- Ordered by site: two statements that change the same sites wait for each other instead of deadlocking.
create function move_site_versions() returns trigger language plpgsql as $$
begin
  insert into site_versions as current (site_id, version)
    select site_id, 1 from changed group by site_id order by site_id
    on conflict (site_id) do update set version = current.version + 1;
  return null;
end $$;

create function move_site_versions_by_update() returns trigger language plpgsql as $$
begin
  insert into site_versions as current (site_id, version)
    select site_id, 1 from (select site_id from before union select site_id from after) as changed order by site_id
    on conflict (site_id) do update set version = current.version + 1;
  return null;
end $$;

create function move_all_site_versions() returns trigger language plpgsql as $$
begin
  update site_versions set version = version + 1;
  return null;
end $$;

create trigger vouchers_inserted after insert on vouchers
  referencing new table as changed for each statement execute function move_site_versions();
create trigger vouchers_updated after update on vouchers
  referencing old table as before new table as after for each statement execute function move_site_versions_by_update();
create trigger vouchers_deleted after delete on vouchers
  referencing old table as changed for each statement execute function move_site_versions();
create trigger vouchers_truncated after truncate on vouchers
  for each statement execute function move_all_site_versions();
