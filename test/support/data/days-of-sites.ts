import type { Queryable } from '#db/database.ts'

/** Adds numbered sites (`Hotel 001`), each on its own controller; returns the ids of all sites. */
export async function seedSites(db: Queryable, count: number): Promise<number[]> {
  await db.query(
    `with c as (
       insert into controllers (id, name, driver, address)
       select gen_random_uuid(), 'unifi-' || lpad(n::text, 3, '0'), 'unifi-integration', 'https://x' from generate_series(1, $1) n
       returning id, name
     )
     insert into sites (name, controller_id, controller_site, synced_at)
     select 'Hotel ' || right(name, 3), id, 'default', now() from c order by name`,
    [count],
  )
  const { rows } = await db.query<{ id: number }>('select id from sites order by id')
  return rows.map(({ id }) => id)
}

/** Gives every site counts for each of the last days. They differ by site and by the day of the week. */
export async function seedDays(db: Queryable, today: string, days: number): Promise<void> {
  await db.query(
    `insert into site_days (site_id, day, created, created_redeemed, created_by, redeemed, revoked)
     select s.id, $1::date - d, n, n * 4 / 5, jsonb_build_object('controller', n), n * 4 / 5, n / 20
       from sites s, generate_series(0, $2::integer - 1) d, lateral (select (s.id * 37 % 60 + 3) * (6 + abs(d % 7 - 3) * 2) / 10 + (s.id + d) % 5 as n) as made`,
    [today, days],
  )
  await db.query('analyze site_days')
}
