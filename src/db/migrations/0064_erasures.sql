-- Receipts of erasures: who erased the data of guests, when and why. They have no names and no references, so they are kept for ever.
create table erasures (
  id uuid primary key,
  at timestamptz(3) not null default now(),
  actor_kind text not null check (actor_kind in ('key', 'staff', 'command', 'service')),
  actor_id uuid,
  actor_name text not null,
  reason text not null check (reason in ('guest_asked', 'mistake', 'other')),
  -- The sites of the guests, also of those without a voucher.
  site_ids integer[] not null,
  -- How many rows were erased, in all tables.
  entries integer not null default 0,
  -- Null while something is not erased yet, for example because a voucher still works.
  finished_at timestamptz(3)
);
create index erasures_by_time on erasures (at desc, id desc);
create index erasures_unfinished on erasures (at) where finished_at is null;

-- The vouchers of an erasure, the creations without a voucher, and the rows of batches without one. `id` is that of the voucher, of the
-- creation or of the batch.
create table erasure_items (
  erasure_id uuid not null references erasures,
  kind text not null check (kind in ('voucher', 'creation', 'row')),
  site_id integer not null,
  id uuid not null,
  number integer not null default 0,
  primary key (erasure_id, kind, site_id, id, number)
);
