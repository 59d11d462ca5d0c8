-- When a voucher was imported from another system. What happened to it before that has no events.
alter table vouchers add column imported_at timestamptz(3);
