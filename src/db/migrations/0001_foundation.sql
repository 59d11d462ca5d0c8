-- Types and collations of the tables below.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Sorts "Haus 2" before "Haus 10" and "Ärztehaus" beside "Apotheke", in a database of any locale.
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

-- A value that is encrypted with a key of the service. Plain text does not fit. `secrets rotate` finds its columns by this type.
create domain encrypted as text check (value ~ '^v1\.[A-Za-z0-9-]{1,32}\.[A-Za-z0-9_-]{38,}$');

create table controllers (
  id uuid primary key,
  name text not null unique,
  driver text not null,
  address text not null,
  settings jsonb not null default '{}',
  secret encrypted,
  certificate_pin bytea check (length(certificate_pin) = 32),
  session encrypted,
  reachable boolean,
  reachability_changed_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table sites (
  id integer generated always as identity primary key,
  name text collate natural_order not null check (name <> ''),
  active boolean not null default true,
  controller_id uuid not null references controllers (id),
  controller_site text not null,
  wifi_ssid text,
  wifi_hidden boolean not null default false,
  wifi_password encrypted,
  adopts_vouchers boolean not null default false,
  next_sync_at timestamptz(3),
  synced_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  unique (controller_id, controller_site)
);
create index sites_by_name on sites (name, id) where active;
create index sites_by_next_sync on sites (next_sync_at) where active;
