-- Runs in steps, without a transaction.
-- The entries that `strip_audit` has to change. The index is empty when there are none.
create index concurrently audit_with_guest_data on audit (id)
 where split_part(action, '.', 1) = 'voucher'
   and (details ?| '{name,reference}' or details -> 'changes' ?| '{name,reference}' or details -> 'before' ?| '{name,reference}');
