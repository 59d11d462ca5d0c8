create table webhooks (
  id uuid primary key,
  name text not null unique,
  format text not null,
  -- Encrypted, because whoever knows the address of a chat platform can post there.
  url encrypted not null,
  secret encrypted,
  previous_secret encrypted,
  previous_secret_until timestamptz(3),
  all_sites boolean not null default true,
  reports_controllers boolean not null default false,
  disabled_at timestamptz(3),
  disabled_reason text,
  failing_since timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table webhook_sites (
  webhook_id uuid not null references webhooks (id) on delete cascade,
  site_id integer not null references sites (id),
  primary key (webhook_id, site_id)
);

create table events (
  id uuid primary key,
  type text not null,
  site_id integer,
  controller_id uuid,
  data jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index events_by_time on events (created_at);

create table deliveries (
  id uuid primary key,
  event_id uuid not null references events (id) on delete cascade,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  settled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  unique (event_id, webhook_id)
);
create index deliveries_by_webhook on deliveries (webhook_id, created_at desc, id desc);

create table delivery_attempts (
  delivery_id uuid not null references deliveries (id) on delete cascade,
  attempt integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  status integer,
  error text,
  reply text,
  primary key (delivery_id, attempt)
);

create table staff (
  id uuid primary key,
  name text not null,
  email text not null,
  role text not null check (role in ('desk', 'admin')),
  all_sites boolean not null default false,
  active boolean not null default true,
  created_at timestamptz(3) not null default now()
);
create unique index staff_by_email on staff (lower(email));

create table staff_sites (
  staff_id uuid not null references staff (id),
  site_id integer not null references sites (id),
  primary key (staff_id, site_id)
);

create table audit (
  id uuid primary key,
  at timestamptz(3) not null default now(),
  -- key, staff or command. The name is the one of that time.
  actor_kind text not null check (actor_kind in ('key', 'staff', 'command', 'service')),
  actor_id uuid,
  actor_name text not null,
  action text not null,
  target_kind text not null,
  target_id text not null,
  address inet,
  details jsonb not null default '{}'
);
create index audit_by_time on audit (at desc, id desc);
create index audit_by_target on audit (target_kind, target_id, at desc);
