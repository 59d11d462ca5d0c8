-- A session says how the person signed in, when the person last proved who they are, and, after a sign-in by a provider, when it
-- ends at the latest.
alter table staff_sessions
  add column signed_in_by text not null default 'password',
  add column authenticated_at timestamptz(3) not null default now(),
  add column ends_at timestamptz(3);
