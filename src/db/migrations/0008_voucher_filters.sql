-- What lists of vouchers are filtered by, within a site or over all of them: what is rare leads, the site follows. A prefix
-- of a code needs an order that no locale changes; equality is served as before.
drop index vouchers_by_code;
create index vouchers_by_code on vouchers (code text_pattern_ops, site_id);
create index vouchers_by_reference on vouchers (reference, site_id) where reference is not null;
create index vouchers_by_batch on vouchers (batch_id, site_id) where batch_id is not null;
-- The few whose minutes run: among them are those that have run out since somebody last looked at the controller.
create index vouchers_running on vouchers (expires_at, site_id) where status = 'valid' and expires_at is not null;
-- The newest of all sites: asking 2,000 sites one by one took 330 ms. The condition is always true. Only the list over all
-- sites says it, so that no planner takes this index for one site, whose vouchers may be far from the newest.
create index vouchers_newest on vouchers (created_at desc, id desc) where code <> '';
