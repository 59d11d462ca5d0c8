-- Runs in steps, without a transaction.
-- The desk finds vouchers by the beginning of a name. The vouchers of keys and of people are found by their makers, with
-- vouchers_by_maker, so two indexes are no longer needed.
create index concurrently vouchers_by_name_prefix on vouchers (site_id, lower(name) text_pattern_ops);
drop index concurrently if exists vouchers_of_keys;
drop index concurrently if exists vouchers_of_staff;
