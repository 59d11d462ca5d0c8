-- Who may see a revocation depends on the sites of its vouchers. Without this column, the list for a key that is limited to some
-- sites read every voucher of every revocation.
alter table revocations add site_ids integer[] not null default '{}';
update revocations
   set site_ids = array(select distinct site_id from withdrawals where revocation_id = revocations.id order by site_id);
create index revocations_by_site on revocations using gin (site_ids);
create index revocations_without_sites on revocations (coalesce(api_key_id, staff_id), created_at desc, id desc) where site_ids = '{}';
