-- Adds counts by name, such as {"controller": 2, "key:019a…": 5}. A name whose count is 0 is left out.
create function add_counts(known jsonb, added jsonb) returns jsonb language sql immutable strict parallel safe
  return (select coalesce(jsonb_object_agg(name, total), '{}')
            from (select name, sum(count::integer) as total
                    from (select * from jsonb_each_text(known) union all select * from jsonb_each_text(added)) as counts (name, count)
                   group by name) as summed
           where total <> 0);

-- The day for which a voucher counts in `site_days.created`. It is stored because the time zone of the service may change.
-- `alter type` fills the column in one rewrite of the table and without triggers. `voucher_service.time_zone` is set by `migrate`;
-- PostgreSQL may lack a time zone that Node has.
alter table vouchers add issued_on date;
do $$
declare
  zone text := coalesce(nullif(current_setting('voucher_service.time_zone', true), ''), 'UTC');
begin
  if not exists (select from pg_timezone_names where name = zone) then
    zone := 'UTC';
  end if;
  execute format('alter table vouchers alter issued_on type date using (created_at at time zone %L)::date', zone);
end $$;
-- The default serves processes of the previous version that still run.
alter table vouchers alter issued_on set default (now() at time zone 'UTC')::date, alter issued_on set not null;

-- `redeemed` and `revoked` count on the day on which the service noticed it.
alter table site_days
  -- How many of `created` somebody has used since then.
  add created_redeemed integer not null default 0,
  -- Who made those of `created`: the reference of an actor (`key:…`, `staff:…`), or `controller` for adopted vouchers.
  add created_by jsonb not null default '{}';

insert into site_days as known (site_id, day, created, created_redeemed, created_by)
select site_id, issued_on, sum(count), sum(redeemed), jsonb_object_agg(maker, count)
  from (select site_id, issued_on, coalesce('key:' || api_key_id, 'staff:' || staff_id, 'controller') as maker,
               count(*) as count, count(*) filter (where used_count > 0) as redeemed
          from vouchers group by 1, 2, 3) as made
 group by site_id, issued_on
on conflict (site_id, day) do update
  set created = excluded.created, created_redeemed = excluded.created_redeemed, created_by = excluded.created_by;

-- The overview reads some days of all sites.
create index site_days_by_day on site_days (day);

-- The overview counts what ends within a day, by site. Used vouchers end too.
drop index vouchers_ending;
create index vouchers_ending on vouchers (expires_at, site_id)
  where status in ('valid', 'used') and not end_told and expires_at is not null;
