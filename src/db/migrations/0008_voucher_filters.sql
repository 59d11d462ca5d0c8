-- Indexes for filtered lists of one site or of all sites. The rare value comes first, then the site. The beginning of a code
-- can be found only in an order that does not depend on the locale.
drop index vouchers_by_code;
create index vouchers_by_code on vouchers (code text_pattern_ops, site_id);
create index vouchers_by_reference on vouchers (reference, site_id) where reference is not null;
create index vouchers_by_batch on vouchers (batch_id, site_id) where batch_id is not null;
-- The few vouchers that are being used. Some of them have expired since the last sync.
create index vouchers_running on vouchers (expires_at, site_id) where status = 'valid' and expires_at is not null;
-- The newest vouchers of all sites. Reading 2,000 sites one by one took 330 ms. The condition is always true. Only the list of all
-- sites contains it, so that the planner does not use this index for one site, whose vouchers may be far from the newest.
create index vouchers_newest on vouchers (created_at desc, id desc) where code <> '';
