-- A delivery may have several jobs over time: only the one whose turn it is sends. The rung is its place on the ladder of
-- pauses: how often it failed since it was first sent or replayed.
alter table deliveries
  add turn integer not null default 0,
  add rung integer not null default 0,
  alter next_attempt_at set default now();

update deliveries set next_attempt_at = now() where state = 'pending';

create index deliveries_pending on deliveries (next_attempt_at, id) where state = 'pending';
