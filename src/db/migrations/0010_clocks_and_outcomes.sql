-- How far a controller stamps vouchers ahead of the `Date` of its replies, which may be that of a proxy in between.
-- Measured with every voucher that is made; null until then.
alter table controllers add stamp_skew_ms double precision;

-- A creation as the controller was asked for it.
alter table creations
  -- The name as it was sent. It differs from `name` where the site appends a tag.
  add note text,
  -- How far the controller's clock was ahead when it was asked.
  add controller_ahead_ms double precision,
  -- When its voucher was revoked, although nobody knew yet whether there is one.
  add revoked_at timestamptz(3),
  -- What was done with the one late voucher that a creation which was given up can have, when its client had another one.
  add surplus text check (surplus in ('withdrawn', 'in_use', 'suspected'));
update creations set note = name;
alter table creations alter note set not null;
-- Creations that may still get a voucher: few among all of a day.
create index creations_unclear on creations (site_id, note) where settled_at is null or state = 'absent';

alter table sites
  -- Whether names on the controller get a tag, by which vouchers are told apart from those of others.
  add tags_names boolean not null default false,
  -- Vouchers on the controller that seem to be ours and are not in the record, as the last sync counted them.
  add unrecorded integer not null default 0;

-- By voucher: withdrawals of a creation that is not settled yet, and what became of earlier ones.
create index withdrawals_by_voucher on withdrawals (site_id, voucher_id);

-- A version that counts up comes back after a failover or a restore that lost the last changes, and a process would take
-- its old list for the current one. A random one never does.
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

-- When a controller that is out of reach is asked again. Until it answers, nothing else in the background asks it.
alter table controller_outages add next_probe_at timestamptz(3) not null default now();

-- Whether the last attempt took long: then its deliveries get a lane of their own, so that the others do not wait for it.
alter table webhooks add is_slow boolean not null default false;

-- The lease of whoever runs a batch: he renews it, and nobody else runs the batch meanwhile.
alter table batches add running_until timestamptz(3);
