-- A trial: the service has the data of another system, which still works.
alter table hold
  drop constraint hold_reason_check,
  add constraint hold_reason_check check (reason in ('restored', 'command', 'trial')) not valid;
