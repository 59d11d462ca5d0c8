-- The scope `manage`: such a key may change sites, controllers, templates and webhooks, so it must expire.
alter table api_keys
  drop constraint api_keys_scope_check,
  add constraint api_keys_scope_check check (scope in ('read', 'write', 'manage')),
  add constraint api_keys_manage_expires check (scope <> 'manage' or expires_at is not null);
