-- Each deletion of old rows takes the oldest ones by an index, a limited number at a time. The window of a key changes once a minute.
create index rate_limits_by_end on rate_limits (ends_at);
create index staff_sessions_by_use on staff_sessions (last_seen_at);
create index staff_addresses_by_use on staff_addresses (signed_in_at);
create index password_links_by_end on password_links (expires_at);
create index webhooks_previous_secrets on webhooks (previous_secret_until) where previous_secret_until is not null;
-- Unfinished batches: the next one of a controller, and how many an actor has.
create index batches_open_by_site on batches (site_id, next_run_at) where finished_at is null;
create index batches_open_by_actor on batches (actor) where finished_at is null;
