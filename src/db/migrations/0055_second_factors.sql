-- Second factors of people. `src/domain/people` owns these tables.

-- A person has at most one active authenticator app, and at most one that is being set up.
create table authenticator_apps (
  id uuid primary key,
  staff_id uuid not null references staff (id) on delete cascade,
  secret encrypted not null,
  -- The 30 seconds whose code was accepted last, counted since 1970. A code works once.
  last_step bigint,
  created_at timestamptz(3) not null default now(),
  -- When a code of the app was right during the setup. Null before.
  checked_at timestamptz(3),
  -- Null while the app is being set up.
  activated_at timestamptz(3)
);
create unique index authenticator_apps_of on authenticator_apps (staff_id, (activated_at is null));
create index authenticator_apps_unfinished on authenticator_apps (created_at) where activated_at is null;

-- Recovery codes that were not used yet: keyed hashes, whose key is the secret of the app.
create table recovery_codes (
  app_id uuid not null references authenticator_apps (id) on delete cascade,
  hash bytea not null check (length(hash) = 32),
  primary key (app_id, hash)
);

create table passkeys (
  id uuid primary key,
  staff_id uuid not null references staff (id) on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- The host for which the browser made the passkey. It works only there.
  host text not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  added_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  -- When the passkey was rejected because its counter was not higher than before.
  counter_went_back_at timestamptz(3)
);
create index passkeys_of on passkeys (staff_id);

-- Sign-ins whose first step was right and whose second factor is missing. They are not sessions, so that processes of an
-- older version do not accept them.
create table pending_sign_ins (
  id uuid primary key,
  staff_id uuid not null references staff (id) on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  signed_in_by text not null,
  expires_at timestamptz(3) not null
);
create index pending_sign_ins_of on pending_sign_ins (staff_id);
create index pending_sign_ins_by_end on pending_sign_ins (expires_at);

-- Random values that a passkey must sign. Each can be used once. `owner` is a session or a pending sign-in.
create table passkey_challenges (
  owner uuid not null,
  purpose text not null check (purpose in ('sign_in', 'again', 'register')),
  challenge text not null,
  expires_at timestamptz(3) not null,
  primary key (owner, purpose)
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);
