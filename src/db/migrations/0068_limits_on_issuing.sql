-- Runs in steps, without a transaction.
-- Limits on issuing. Null: no limit. `src/domain/issuing-limits.ts` explains them.
alter table api_keys add column if not exists vouchers_per_day integer, add column if not exists longest_minutes integer;
alter table staff add column if not exists vouchers_per_day integer, add column if not exists longest_minutes integer;
alter table sites add column if not exists vouchers_per_day integer, add column if not exists longest_minutes integer;
-- The counters in which the creation was counted. Null: no limit was set.
alter table creations add column if not exists issuing_counters jsonb;
