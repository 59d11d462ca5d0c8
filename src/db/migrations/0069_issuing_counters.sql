-- How many vouchers of a day count towards a limit. The scope is key:<id>, staff:<id> or site:<number>. The row of a day is inserted
-- by the first voucher of the day.
create table issuing_counters (
  scope text not null,
  day date not null,
  vouchers integer not null,
  primary key (scope, day)
);
create index issuing_counters_by_day on issuing_counters (day);

-- Counts up to `wanted` vouchers in each of the counters, and returns how many: as many as fit into all of them. If these are fewer
-- than `needed`, it raises an error whose detail has the full counters. Each counter has a scope, a day, the time `until` which the
-- day lasts, and a limit; without a limit, every number fits. The function locks the counters by scope and day.
create function count_issuing(counters jsonb, wanted integer, needed integer) returns integer
  language plpgsql strict as $$
declare
  counter record;
  known integer;
  fitting integer := wanted;
  full_ones jsonb := '[]';
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day, (value ->> 'limit')::integer as most,
           (value ->> 'until')::timestamptz as until
      from jsonb_array_elements(counters) order by 1, 2
  loop
    insert into issuing_counters (scope, day, vouchers) values (counter.scope, counter.day, 0) on conflict do nothing;
    select vouchers into known from issuing_counters
     where scope = counter.scope and day = counter.day for update;
    if counter.most - known < needed then
      full_ones := full_ones || jsonb_build_object('scope', counter.scope, 'limit', counter.most, 'until', counter.until,
        'seconds', greatest(1, ceil(extract(epoch from counter.until - clock_timestamp()))));
    end if;
    if counter.most is not null then
      fitting := least(fitting, greatest(counter.most - known, 0));
    end if;
  end loop;
  if fitting < needed then
    raise exception 'a limit on issuing is reached' using errcode = 'VS001', detail = full_ones::text;
  end if;
  if fitting > 0 then
    update issuing_counters set vouchers = vouchers + fitting
      from jsonb_array_elements(counters) as asked
     where scope = asked ->> 'scope' and day = (asked ->> 'day')::date;
  end if;
  return fitting;
end $$;

-- Takes a creation out of its counters when it ends without a voucher, and counts it again when its voucher turns up after all. A
-- trigger does this, so that it also happens when a process of an older version settles the creation.
create function count_issuing_back() returns trigger
  language plpgsql as $$
declare
  counter record;
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day
      from jsonb_array_elements(old.issuing_counters) order by 1, 2
  loop
    update issuing_counters set vouchers = vouchers + case when new.state in ('rejected', 'absent') then -1 else 1 end
     where scope = counter.scope and day = counter.day;
  end loop;
  return null;
end $$;
create trigger count_issuing_back after update of state on creations for each row
  when (old.issuing_counters is not null and (old.state in ('rejected', 'absent')) <> (new.state in ('rejected', 'absent')))
  execute function count_issuing_back();
