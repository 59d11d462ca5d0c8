-- The web app filters the vouchers of a site by who made them. Without these indexes, a person who made 3 of a million vouchers
-- would wait until all are read. A voucher is in one of the last three indexes.
create index vouchers_by_maker on vouchers (site_id, (coalesce(api_key_id, staff_id)), created_at desc, id desc)
  where coalesce(api_key_id, staff_id) is not null;
create index vouchers_of_keys on vouchers (site_id, created_at desc, id desc) where api_key_id is not null;
create index vouchers_of_staff on vouchers (site_id, created_at desc, id desc) where staff_id is not null;
create index vouchers_of_controllers on vouchers (site_id, created_at desc, id desc)
  where api_key_id is null and staff_id is null;
