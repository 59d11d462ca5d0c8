-- The time of the last complete `voucher-service backup`, for the metrics. Empty in an installation that backs up in another way.
create table last_backup (
  only_one boolean primary key default true check (only_one),
  taken_at timestamptz(3) not null
);
