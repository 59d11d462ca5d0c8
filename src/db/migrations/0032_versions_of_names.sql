-- A page of API v2 shows the names of the keys and people that made the vouchers. Renaming one of them changes
-- the version of these pages, which is stored under site 0. No site has this number.
create function move_version_of_names() returns trigger language plpgsql as $$
begin
  insert into site_versions (site_id, version) values (0, gen_random_uuid())
    on conflict (site_id) do update set version = excluded.version;
  return null;
end $$;

create trigger api_keys_renamed after update of name on api_keys
  for each row when (old.name is distinct from new.name) execute function move_version_of_names();
create trigger staff_renamed after update of name on staff
  for each row when (old.name is distinct from new.name) execute function move_version_of_names();
