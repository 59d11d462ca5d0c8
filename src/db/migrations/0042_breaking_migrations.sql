-- The migrations with which older versions of the service do not work. `breaks_before` is the oldest version that works. A running
-- process of an older version reads it here, because it does not have the file of the migration.
create table breaking_migrations (
  name text primary key,
  breaks_before text not null check (breaks_before ~ '^\d+\.\d+\.\d+$'),
  reason text not null
);
