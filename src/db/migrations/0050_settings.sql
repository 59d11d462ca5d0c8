-- Settings of the whole installation that administrators change in the web app. `src/domain/settings` checks the values. A variable
-- of the environment with the same name in capitals takes precedence.
create table settings (
  name text primary key,
  value jsonb not null,
  -- The content, if the setting is a file. `value` then describes it.
  file bytea check (length(file) <= 262144),
  changed_at timestamptz(3) not null default now()
);
