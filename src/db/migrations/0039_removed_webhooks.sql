-- Runs in steps, without a transaction.
-- A request only marks a webhook as removed, and erases its address and secrets. A sweep then deletes its deliveries in small
-- pieces, and at last its row. `lost_sites_at` is the time at which the webhook last lost sites, or was removed. It becomes null
-- when the deliveries of these sites are deleted.
alter table webhooks
  add column if not exists removed_at timestamptz(3),
  add column if not exists lost_sites_at timestamptz(3),
  alter url drop not null;
create index concurrently webhooks_lost_sites on webhooks (lost_sites_at) where lost_sites_at is not null;
