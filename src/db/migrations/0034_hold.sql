-- While this table has its row, no process creates or withdraws vouchers, settles creations or sends notifications. `restore`
-- inserts the row, so that nothing acts on an old record before an operator has compared it with the controllers.
create table hold (
  only_one boolean primary key default true check (only_one),
  since timestamptz(3) not null default now(),
  reason text not null check (reason in ('restored', 'command')),
  backup_taken_at timestamptz(3),
  check ((reason = 'restored') = (backup_taken_at is not null))
);
