-- Options of a creation, and the batch to which it belongs.
alter table creations
  add reference text,
  add valid_until timestamptz(3),
  add batch_id uuid;

-- Durations and limits with a name, for one site or for all (null).
create table templates (
  id uuid primary key,
  site_id integer references sites (id),
  name text not null check (name <> ''),
  max_uses integer not null check (max_uses >= 0),
  expire_minutes integer not null check (expire_minutes > 0),
  qos_down_kbps integer not null default 0 check (qos_down_kbps >= 0),
  qos_up_kbps integer not null default 0 check (qos_up_kbps >= 0),
  qos_quota_mb integer not null default 0 check (qos_quota_mb >= 0),
  created_at timestamptz(3) not null default now(),
  unique nulls not distinct (site_id, name)
);

-- Up to 1,000 vouchers of one request. Each has its outcome in `batch_rows`.
create table batches (
  site_id integer not null,
  id uuid not null,
  actor text not null,
  api_key_id uuid,
  staff_id uuid,
  idempotency_key text,
  request_hash bytea not null,
  reference text,
  valid_until timestamptz(3),
  max_uses integer not null,
  expire_minutes integer not null,
  qos_down_kbps integer not null default 0,
  qos_up_kbps integer not null default 0,
  qos_quota_mb integer not null default 0,
  created_at timestamptz(3) not null default now(),
  next_run_at timestamptz(3) not null default now(),
  -- Since when no voucher could be created. Null while they can.
  held_up_since timestamptz(3),
  cancelled_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (site_id, id),
  unique (actor, idempotency_key)
);
create index batches_list on batches (site_id, created_at desc, id desc);
create index batches_due on batches (next_run_at) where finished_at is null;

create table batch_rows (
  site_id integer not null,
  batch_id uuid not null,
  number integer not null,
  -- The name on the controller, with its date.
  name text not null,
  -- waiting: not sent yet. sent: an intent is committed, and its outcome is not known yet. The others are outcomes.
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'made', 'failed', 'cancelled')),
  attempts integer not null default 0,
  creation_id uuid,
  voucher_id uuid,
  failure text,
  -- Whether the webhooks were notified of the voucher. That happens when the batch ends; a voucher found later is notified then.
  notified boolean not null default false,
  primary key (site_id, batch_id, number)
);

-- A request to withdraw several vouchers, and who sent it. Each voucher has its outcome in `withdrawals`.
create table revocations (
  id uuid primary key,
  actor text not null,
  api_key_id uuid,
  staff_id uuid,
  idempotency_key text,
  request_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  unique (actor, idempotency_key)
);

-- A voucher that must be deleted on its controller: at once after a revocation, otherwise at `valid_until`.
create table withdrawals (
  site_id integer not null,
  id uuid not null,
  voucher_id uuid not null,
  revocation_id uuid,
  due_at timestamptz(3) not null,
  -- Set into the future by each attempt, so that no other process takes the withdrawal meanwhile.
  next_attempt_at timestamptz(3) not null,
  attempts integer not null default 0,
  -- Why the last attempt failed.
  failure text,
  -- revoked: withdrawn. ended: there was nothing left to withdraw. failed: given up.
  outcome text check (outcome in ('revoked', 'ended', 'failed')),
  settled_at timestamptz(3),
  primary key (site_id, id),
  check ((outcome is null) = (settled_at is null))
);
-- The first index finds sites with due withdrawals, the second the withdrawals of a site. Most rows are not due for a long time.
create index withdrawals_due on withdrawals (next_attempt_at, site_id) where settled_at is null;
create index withdrawals_due_by_site on withdrawals (site_id, next_attempt_at) where settled_at is null;
create unique index withdrawals_by_revocation on withdrawals (revocation_id, site_id, voucher_id)
  where revocation_id is not null;
create index withdrawals_done on withdrawals (settled_at) where settled_at is not null and revocation_id is null;
