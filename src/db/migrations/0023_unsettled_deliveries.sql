-- The page of a webhook counts its failed and waiting deliveries and lists them by state. Without this index, both read every
-- delivery of the last 30 days.
create index deliveries_unsettled on deliveries (webhook_id, created_at desc, id desc) include (state) where state <> 'delivered';
