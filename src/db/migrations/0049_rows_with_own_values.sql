-- Rows of a batch can have their own reference, devices and end. Null: the value of the batch. A row with expire_minutes has its
-- own end, which consists of expire_minutes, valid_until and extendable_until.
alter table batch_rows
  add column reference text,
  add column max_uses integer,
  add column expire_minutes integer,
  add column valid_until timestamp(3) with time zone,
  add column extendable_until timestamp(3) with time zone,
  add column own_creation_id uuid;

-- Workers of older versions would create these vouchers with the values of the batch. They do not set own_creation_id, so they cannot
-- send these rows.
alter table batch_rows add constraint batch_rows_own_values_check check (
  state <> 'sent' or reference is null and max_uses is null and expire_minutes is null
  or own_creation_id is not distinct from creation_id) not valid;
