-- The session of a controller, which all processes share: one of them signs in for all, and not too often.
alter table controllers
  add session_id uuid,
  add signing_in_until timestamptz(3),
  add sign_ins timestamptz(3)[] not null default '{}',
  add sign_in_paused_until timestamptz(3),
  add sign_in_paused_by text,
  drop reachable,
  drop reachability_changed_at;

-- The times at which a controller could not be reached: from the first failure to the next answer.
create table controller_outages (
  controller_id uuid not null references controllers (id),
  since timestamptz(3) not null default now(),
  until timestamptz(3),
  primary key (controller_id, since)
);
create unique index controller_outages_open on controller_outages (controller_id) where until is null;

alter table sites
  add sync_failure text,
  add sync_failing_since timestamptz(3);
