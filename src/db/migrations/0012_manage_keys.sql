-- The scope `manage`: such a key may change sites, controllers, templates and webhooks, so it must expire.
alter table api_keys
  drop constraint api_keys_scope_check,
  add constraint api_keys_scope_check check (scope in ('read', 'write', 'manage')),
  add constraint api_keys_manage_expires check (scope <> 'manage' or expires_at is not null);

-- A site can be removed while nothing refers to it. These keys keep a request that runs meanwhile from leaving rows behind.
-- Vouchers come from creations, or from a sync that locks the site.
alter table creations add foreign key (site_id) references sites (id);
alter table batches add foreign key (site_id) references sites (id);
