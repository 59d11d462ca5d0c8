-- One row per voucher, in partitions by site: all rows of a site are in one partition, so that its vouchers can be unique there.
-- There are no foreign keys here and on other rows that are written with each voucher: they would lock the row of the site and
-- of the key every time.
create table vouchers (
  site_id integer not null,
  id uuid not null,
  creation_id uuid,
  controller_voucher_id text,
  code text not null check (code <> ''),
  name text not null,
  reference text,
  max_uses integer not null check (max_uses >= 0),
  expire_minutes integer not null check (expire_minutes > 0),
  qos_down_kbps integer not null default 0 check (qos_down_kbps >= 0),
  qos_up_kbps integer not null default 0 check (qos_up_kbps >= 0),
  qos_quota_mb integer not null default 0 check (qos_quota_mb >= 0),
  status text not null default 'valid' check (status in ('valid', 'used', 'expired', 'revoked')),
  used_count integer not null default 0 check (used_count >= 0),
  -- In milliseconds: JavaScript cuts microseconds off, and a cursor made of such a time would skip rows.
  created_at timestamptz(3) not null,
  first_used_at timestamptz(3),
  expires_at timestamptz(3),
  valid_until timestamptz(3),
  revoked_at timestamptz(3),
  synced_at timestamptz(3),
  -- Who created the voucher: a key, a person, or somebody on the controller (both are null).
  api_key_id uuid,
  staff_id uuid,
  batch_id uuid,
  primary key (site_id, id),
  unique (site_id, controller_voucher_id)
) partition by hash (site_id);

do $$
begin
  for part in 0..31 loop
    execute format('create table vouchers_%s partition of vouchers for values with (modulus 32, remainder %s)',
      lpad(part::text, 2, '0'), part);
  end loop;
end $$;

create index vouchers_list on vouchers (site_id, created_at desc, id desc);
create index vouchers_by_status on vouchers (site_id, status, created_at desc, id desc);
create index vouchers_by_code on vouchers (site_id, code);
create index vouchers_by_name on vouchers using gin (site_id, name gin_trgm_ops);
-- A voucher without an id of the controller is found by its code.
create unique index vouchers_claim_by_code on vouchers (site_id, code) where controller_voucher_id is null;

-- The intent of each creation. It is committed before the controller is called.
create table creations (
  site_id integer not null,
  id uuid not null,
  actor text not null,
  api_key_id uuid,
  staff_id uuid,
  idempotency_key text,
  request_hash bytea not null,
  name text not null,
  max_uses integer not null,
  expire_minutes integer not null,
  qos_down_kbps integer not null default 0,
  qos_up_kbps integer not null default 0,
  qos_quota_mb integer not null default 0,
  -- open: the controller may be creating it now. unknown: sent, and the voucher is being looked for. The others are settled.
  state text not null default 'open' check (state in ('open', 'unknown', 'recorded', 'rejected', 'absent')),
  sent_at timestamptz(3) not null,
  lease_until timestamptz(3) not null,
  settled_at timestamptz(3),
  voucher_id uuid,
  answer jsonb,
  -- The attempt that got the Idempotency-Key after this one had failed.
  superseded_by uuid,
  primary key (site_id, id),
  unique (actor, idempotency_key),
  check ((state in ('open', 'unknown')) = (settled_at is null))
);
create index creations_by_lease on creations (lease_until) where settled_at is null;
create index creations_by_settled on creations (settled_at) where settled_at is not null;

create table site_days (
  site_id integer not null,
  day date not null,
  created integer not null default 0,
  redeemed integer not null default 0,
  revoked integer not null default 0,
  primary key (site_id, day)
);
