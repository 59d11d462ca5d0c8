-- People sign in with a password. Roles in ascending order: desk, manager, admin.
alter table staff
  drop constraint staff_role_check,
  add constraint staff_role_check check (role in ('desk', 'manager', 'admin')),
  -- Null until the person has set a password with a one-time link.
  add column password_hash text,
  add column language text check (language in ('de', 'en')),
  add column theme text not null default 'auto' check (theme in ('light', 'dark', 'auto'));

create table staff_sessions (
  id uuid primary key,
  staff_id uuid not null references staff (id) on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  address inet not null,
  user_agent text not null
);
create index staff_sessions_of on staff_sessions (staff_id);

-- Addresses where a person has signed in. Guesses from other addresses do not delay them.
create table staff_addresses (
  staff_id uuid not null references staff (id) on delete cascade,
  address inet not null,
  signed_in_at timestamptz(3) not null default now(),
  primary key (staff_id, address)
);

-- One-time links to set a password. A person has at most one.
create table password_links (
  staff_id uuid primary key references staff (id) on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  expires_at timestamptz(3) not null
);

-- The token of the first run: one row until the first administrator exists.
create table setup_token (
  only_row boolean primary key default true check (only_row),
  -- The token is computed from this value and ENCRYPTION_KEYS, unless SETUP_TOKEN gives it.
  seed uuid not null,
  token_sha256 bytea not null check (length(token_sha256) = 32),
  expires_at timestamptz(3) not null
);
