-- The message of a row of a batch. `message_counters` are the counters of limits in which it counts, until the batch ends.
alter table batch_rows add column message_id uuid, add column message_counters jsonb;

-- A creation for a row of a batch may be followed by another one. So a message of a row is not cancelled with a creation.
create or replace function settle_message() returns trigger
  language plpgsql as $$
begin
  if new.state = 'recorded' then
    update messages
       set state = 'waiting', voucher_id = new.voucher_id, next_attempt_at = now(), send_until = now() + interval '24 hours'
     where creation_id = new.id and state = 'prepared';
  elsif new.state in ('rejected', 'absent') and new.batch_id is null then
    update messages set state = 'cancelled', email = null, settled_at = now()
     where creation_id = new.id and state = 'prepared';
  end if;
  return null;
end $$;

-- The message of a row is cancelled and its address is erased in the commit that ends the row without a voucher. It is due with the row
-- that is made, if a process of an older version made the voucher: such a process does not connect the message with the creation.
create function settle_message_of_row() returns trigger
  language plpgsql as $$
begin
  if new.state = 'made' then
    update messages
       set state = 'waiting', voucher_id = new.voucher_id, next_attempt_at = now(), send_until = now() + interval '24 hours'
     where id = new.message_id and state = 'prepared';
  else
    update messages set state = 'cancelled', email = null, settled_at = now()
     where id = new.message_id and state = 'prepared';
  end if;
  return null;
end $$;
create trigger settle_message_of_row after update of state on batch_rows for each row
  when (new.message_id is not null and new.state is distinct from old.state and new.state in ('made', 'failed', 'cancelled'))
  execute function settle_message_of_row();

-- Takes the cancelled messages of a batch out of their counters. Then the rows forget their counters, which have hashes of addresses.
create function give_back_messages(site integer, batch uuid) returns void
  language plpgsql as $$
declare
  counter record;
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day, count(*)::integer as messages
      from batch_rows r join messages m on m.id = r.message_id, jsonb_array_elements(r.message_counters)
     where r.site_id = site and r.batch_id = batch and m.state = 'cancelled' and m.voucher_id is null
     group by 1, 2 order by 1, 2
  loop
    update issuing_counters set vouchers = vouchers - counter.messages where scope = counter.scope and day = counter.day;
  end loop;
  update batch_rows set message_counters = null where site_id = site and batch_id = batch and message_counters is not null;
end $$;

-- As before (migration 69), but a counter may count several times, such as the counter of an address with messages in several rows.
create or replace function count_issuing(counters jsonb, wanted integer, needed integer) returns integer
  language plpgsql strict as $$
declare
  counter record;
  known integer;
  fitting integer := wanted;
  full_ones jsonb := '[]';
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day, (value ->> 'limit')::integer as most,
           (value ->> 'until')::timestamptz as until, coalesce((value ->> 'times')::integer, 1) as times
      from jsonb_array_elements(counters) order by 1, 2
  loop
    insert into issuing_counters (scope, day, vouchers) values (counter.scope, counter.day, 0) on conflict do nothing;
    select vouchers into known from issuing_counters
     where scope = counter.scope and day = counter.day for update;
    if counter.most - known < needed * counter.times then
      full_ones := full_ones || jsonb_build_object('scope', counter.scope, 'limit', counter.most, 'until', counter.until,
        'seconds', greatest(1, ceil(extract(epoch from counter.until - clock_timestamp()))));
    end if;
    if counter.most is not null then
      fitting := least(fitting, greatest(counter.most - known, 0) / counter.times);
    end if;
  end loop;
  if fitting < needed then
    raise exception 'a limit on issuing is reached' using errcode = 'VS001', detail = full_ones::text;
  end if;
  if fitting > 0 then
    update issuing_counters set vouchers = vouchers + fitting * coalesce((asked ->> 'times')::integer, 1)
      from jsonb_array_elements(counters) as asked
     where scope = asked ->> 'scope' and day = (asked ->> 'day')::date;
  end if;
  return fitting;
end $$;
