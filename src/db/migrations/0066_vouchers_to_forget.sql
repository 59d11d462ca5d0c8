-- Runs in steps, without a transaction.
-- Ended vouchers whose guests are not forgotten yet, by their end. A voucher enters the index when it ends, so a creation writes
-- nothing to it.
create index concurrently vouchers_to_forget on vouchers (site_id,
  (coalesce(least(expires_at, valid_until, revoked_at, case when first_used_at is null then unused_until end), synced_at, created_at)), id)
  where status <> 'valid' and erased_at is null;
-- Rows of batches that got no voucher.
create index concurrently batch_rows_to_forget on batch_rows (site_id, batch_id)
  where state in ('failed', 'cancelled') and erased_at is null;
