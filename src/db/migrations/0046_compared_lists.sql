-- The last comparison of a site's list on its controller with the record. A sync that reads the same list, while the record has
-- the same version, compares nothing.
alter table sites
  add column compared_list bytea,
  add column compared_version uuid,
  add column compared_at timestamptz(3);
