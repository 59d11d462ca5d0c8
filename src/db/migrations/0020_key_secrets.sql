-- A key has one current secret. After it is rolled, older ones also work until their `valid_until`. Secrets that have ended
-- stay, so that a prefix in a log can be traced to its key and is never used again.
create table api_key_secrets (
  -- The part of a secret in front, such as vsk_1a2B3c4D. It finds the row and proves nothing.
  prefix text primary key,
  api_key_id uuid not null references api_keys (id),
  sha256 bytea not null check (length(sha256) = 32),
  -- Null for the current secret. The key itself may end earlier.
  valid_until timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index api_key_secrets_of on api_key_secrets (api_key_id);
create unique index api_key_secrets_current on api_key_secrets (api_key_id) where valid_until is null;

insert into api_key_secrets (prefix, api_key_id, sha256, last_used_at, created_at)
select prefix, id, sha256, last_used_at, created_at from api_keys;

alter table api_keys
  drop column prefix,
  drop column sha256,
  drop column last_used_at;
