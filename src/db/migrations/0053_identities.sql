-- Accounts of a provider (OpenID Connect) that belong to people. A person has at most one.
create table identities (
  issuer text not null,
  subject text not null,
  staff_id uuid not null unique references staff (id) on delete cascade,
  linked_at timestamptz(3) not null default now(),
  last_sign_in_at timestamptz(3),
  -- The lists of texts that the provider sent at the last sign-in, by the path of their claim: {"groups": ["wifi-admins"]}.
  groups jsonb not null default '{}',
  primary key (issuer, subject)
);
