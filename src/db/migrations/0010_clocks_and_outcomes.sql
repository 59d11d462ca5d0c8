-- How far the times of vouchers are ahead of the `Date` of the controller's replies, which may come from a proxy. Measured
-- with every new voucher; null before the first one.
alter table controllers add stamp_skew_ms double precision;

-- What was sent to the controller, and what became of it.
alter table creations
  -- The name as it was sent, with the tag that the site appends. Null: the same as `name`.
  add note text,
  -- How far the controller's clock was ahead when it was asked.
  add controller_ahead_ms double precision,
  -- When the creation was revoked before it was known whether it had made a voucher.
  add revoked_at timestamptz(3),
  -- What was done with the late voucher of a creation that was given up, if its client had made another voucher by then.
  add surplus text check (surplus in ('withdrawn', 'in_use', 'suspected'));
-- Creations that may still get a voucher: only a few of all that are kept.
create index creations_unclear on creations (site_id, coalesce(note, name)) where settled_at is null or state = 'absent';

alter table sites
  -- Whether names on the controller get a tag, so that the service recognises its own vouchers.
  add tags_names boolean not null default false,
  -- Number of vouchers on the controller that seem to be ours but are missing in the record, as of the last sync.
  add unrecorded integer not null default 0;

-- Finds the withdrawals of a voucher, or of a creation that is not settled yet.
create index withdrawals_by_voucher on withdrawals (site_id, voucher_id);

-- A version that counts up can return to an old value after a failover or a restore that lost the last changes. A process
-- would then serve an old list. A random version never returns.
alter table site_versions alter version type uuid using gen_random_uuid();
create or replace function move_site_versions() returns trigger language plpgsql as $$
begin
  insert into site_versions (site_id, version)
    select site_id, gen_random_uuid() from changed group by site_id order by site_id
    on conflict (site_id) do update set version = excluded.version;
  return null;
end $$;
create or replace function move_site_versions_by_update() returns trigger language plpgsql as $$
begin
  insert into site_versions (site_id, version)
    select site_id, gen_random_uuid()
      from (select site_id from before union select site_id from after) as changed order by site_id
    on conflict (site_id) do update set version = excluded.version;
  return null;
end $$;
create or replace function move_all_site_versions() returns trigger language plpgsql as $$
begin
  update site_versions set version = gen_random_uuid();
  return null;
end $$;

-- When a controller that is out of reach is probed again. Until it answers, no other background work calls it.
alter table controller_outages add next_probe_at timestamptz(3) not null default now();

-- Whether the last attempt was slow. Deliveries of slow webhooks have a queue of their own, so that others do not wait.
alter table webhooks add is_slow boolean not null default false;

-- The lease of the worker that runs the batch. The worker renews it; until it ends, no other worker runs the batch.
-- `running_by` names the run, so that a worker that was frozen cannot change the lease of its successor.
alter table batches add running_until timestamptz(3), add running_by uuid;
