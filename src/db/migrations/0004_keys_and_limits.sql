create table api_keys (
  id uuid primary key,
  name text not null check (name <> ''),
  -- The part before the secret, such as vsk_1a2B3c4D. It finds the row and is no proof.
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

-- Counted in memory and written every few seconds, not with each request.
create table api_key_days (
  api_key_id uuid not null references api_keys (id),
  day date not null,
  requests bigint not null default 0,
  limited bigint not null default 0,
  primary key (api_key_id, day)
);

-- The windows of the rate limits without Redis, or while Redis does not answer. Unlogged: they are empty after a crash of PostgreSQL.
create unlogged table rate_limits (
  key text primary key,
  count integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
