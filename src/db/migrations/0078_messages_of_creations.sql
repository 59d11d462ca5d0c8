-- Whether a message was inserted with the creation.
alter table creations add column has_message boolean not null default false;

-- A message is due in the commit that records its voucher. It is cancelled and its address is erased in the commit that ends a creation
-- without a voucher. A trigger does this, so that it also happens when a process of an older version settles the creation.
create function settle_message() returns trigger
  language plpgsql as $$
begin
  if new.state = 'recorded' then
    update messages
       set state = 'waiting', voucher_id = new.voucher_id, next_attempt_at = now(), send_until = now() + interval '24 hours'
     where creation_id = new.id and state = 'prepared';
  elsif new.state in ('rejected', 'absent') then
    update messages set state = 'cancelled', email = null, settled_at = now()
     where creation_id = new.id and state = 'prepared';
  end if;
  return null;
end $$;
create trigger settle_message after update of state on creations for each row
  when (new.has_message and new.state is distinct from old.state)
  execute function settle_message();
