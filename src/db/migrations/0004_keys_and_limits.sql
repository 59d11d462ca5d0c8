create table api_keys (
  id uuid primary key,
  name text not null check (name <> ''),
  -- What is in front of the secret, e.g. vsk_1a2B3c4D: finds the row, proves nothing.
  prefix text not null unique,
  sha256 bytea not null check (length(sha256) = 32),
  scope text not null check (scope in ('read', 'write')),
  rate_limit integer not null check (rate_limit between 0 and 100000),
  all_sites boolean not null default true,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table api_key_sites (
  api_key_id uuid not null references api_keys (id),
  site_id integer not null references sites (id),
  primary key (api_key_id, site_id)
);

-- Flushed from memory every few seconds, never written per request.
create table api_key_days (
  api_key_id uuid not null references api_keys (id),
  day date not null,
  requests bigint not null default 0,
  limited bigint not null default 0,
  primary key (api_key_id, day)
);

-- The limiter's windows where there is no Redis, or while it is lost. Unlogged: a crash of the database opens new windows.
create unlogged table rate_limits (
  key text primary key,
  count integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
