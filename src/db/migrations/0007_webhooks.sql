-- A delivery may have several jobs over time. Only the job with the delivery's `turn` sends. `rung` counts the attempts that
-- failed since the delivery was first sent or replayed, and decides the pause before the next one.
alter table deliveries
  add turn integer not null default 0,
  add rung integer not null default 0,
  alter next_attempt_at set default now();

update deliveries set next_attempt_at = now() where state = 'pending';

create index deliveries_pending on deliveries (next_attempt_at, id) where state = 'pending';
