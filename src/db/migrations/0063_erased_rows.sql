-- Runs in steps, without a transaction.
-- Rows of guests keep their place after an erasure and lose their values. request_hash_key is the id of the encryption key with which
-- request_hash was replaced by its HMAC, because the hash of a name can be guessed.
alter table vouchers add column if not exists erased_at timestamptz(3), add column if not exists erasure_id uuid;
alter table creations add column if not exists request_hash_key text;
alter table batches add column if not exists request_hash_key text;
alter table batch_rows add column if not exists erased_at timestamptz(3);
alter table revocations add column if not exists request_hash_key text;
alter table remembered_requests add column if not exists request_hash_key text, add column if not exists target text;
alter table events add column if not exists erased_at timestamptz(3);

-- Vouchers that will be erased when they have ended.
create index concurrently vouchers_to_erase on vouchers (site_id, id) where erasure_id is not null and erased_at is null;

-- Guests are found by the name under which a voucher was created too, if it was changed later.
create index concurrently vouchers_by_first_name on vouchers (site_id, lower(without_date(controller_name)) text_pattern_ops)
  where name <> without_date(controller_name);
create index concurrently batch_rows_by_name on batch_rows (site_id, lower(name) text_pattern_ops);
create index concurrently batch_rows_by_reference on batch_rows (reference) where reference is not null;
create index concurrently batches_by_reference on batches (reference) where reference is not null;
create index concurrently creations_superseded on creations (site_id, superseded_by) where superseded_by is not null;

-- The events that hold a reference, by the ids of their vouchers and batches. Houses without references pay nothing.
create index concurrently events_with_references on events using gin
  ((jsonb_path_query_array(data, '$.vouchers[*].id') || jsonb_path_query_array(data, '$.batch_id')))
  where data @? '$.vouchers[*].reference ? (@ != null)' or data ->> 'reference' is not null;

-- The keys of these requests are dead a day after the request.
create index concurrently remembered_requests_by_target on remembered_requests (target)
  where operation = 'change voucher' and request_hash_key is null;
