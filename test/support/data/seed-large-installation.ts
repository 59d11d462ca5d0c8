import { connectDatabase, type Database } from '#db/database.ts'
import type { TestDatabase } from './database.ts'
import { seedDays } from './days-of-sites.ts'
import { seedKey, seedPerson } from './seed.ts'

type Size = { sites: number; controllers?: number; vouchersPerSite?: number; days?: number; today: string }

/**
 * An installation with thousands of sites, inserted with a few statements. The sites have names like those of hotels, in several towns;
 * one of them is inactive, and one controller has an outage. There are keys and people for one site, three sites, all by number, and all.
 */
export async function seedLargeInstallation(
  { url }: TestDatabase,
  { sites, controllers = 50, vouchersPerSite = 0, days = 0, today }: Size,
) {
  const db = connectDatabase({
    url,
    poolSize: 2,
    timeoutMs: 3_600_000,
    onError: () => {},
    settings: { synchronous_commit: 'off' },
  })
  await db.query(
    `insert into controllers (id, name, driver, address)
     select gen_random_uuid(), 'Console ' || lpad(n::text, 3, '0'), 'unifi-integration', 'https://console-' || n || '.example'
       from generate_series(1, $1::integer) n`,
    [controllers],
  )
  const { rows } = await db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site, synced_at, next_sync_at, active)
     select (array['Hotel', 'Pension', 'Gasthof', 'Residenz', 'Haus', 'Hostel', 'Camping'])[1 + n % 7] || ' '
              || (array['Alpenblick', 'Seehof', 'Adler', 'Post', 'Krone', 'Sonne', 'Bergkristall', 'Zum Löwen', 'Linde'])[1 + n % 9] || ' '
              || (array['Wien', 'Graz', 'Linz', 'Salzburg', 'Innsbruck', 'Bregenz', 'Klagenfurt', 'Villach'])[1 + n % 8] || ' ' || n,
            c.id, 'site-' || n, now(), now() + interval '1 year', n <> $1
       from generate_series(1, $1::integer) n
       join (select id, row_number() over (order by name) - 1 as place from controllers) c on c.place = n % $2::integer
      order by n
     returning id`,
    [sites, controllers],
  )
  await db.query(
    `insert into controller_outages (controller_id, since, reason)
     select id, now() - interval '20 minutes', 'no_answer' from controllers order by name limit 1`,
  )
  const ids = rows.map(({ id }) => id)
  if (vouchersPerSite > 0) await seedVouchers(db, vouchersPerSite)
  if (days > 0) await seedDays(db, today, days)
  const three = [ids[1], ids[ids.length >> 1], ids.at(-2)] as number[]
  const one = [ids[Math.min(20, ids.length - 2)]] as number[]
  const people = {
    admin: await seedPerson(db, { role: 'admin', name: 'Ada Admin' }),
    managerOfAll: await seedPerson(db, { role: 'manager', name: 'Mona Manager' }),
    managerOfListed: await seedPerson(db, { role: 'manager', name: 'Lisa Listed', siteIds: ids }),
    managerOfThree: await seedPerson(db, { role: 'manager', name: 'Tom Three', siteIds: three }),
    receptionist: await seedPerson(db, { name: 'Anna Weber', siteIds: one }),
  }
  const keys = {
    ofAll: await seedKey(db, { name: 'All sites' }),
    ofListed: await seedKey(db, { name: 'Every site by number', siteIds: ids }),
    ofThree: await seedKey(db, { name: 'Three sites', siteIds: three }),
    ofOne: await seedKey(db, { name: 'One site', siteIds: one }),
  }
  await db.query('analyze')
  await db.close()
  return { ids, three, one: one[0] as number, people, keys }
}

/** Without the triggers, which would keep every row in memory. Most vouchers have ended. */
async function seedVouchers(db: Database, perSite: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica')
    await tx.query(
      `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status,
         used_count, created_at, first_used_at, expires_at, synced_at, first_use_told, end_told, issued_on)
       select site, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8'
                || substr(hash, 4, 15))::uuid,
              hash::uuid::text, lpad((('x' || substr(hash, 1, 12))::bit(48)::bigint % 10000000000)::text, 10, '0'),
              to_char(at, 'YYYY-MM-DD_') || guest, guest, 1, 1440, case when n % 10 < 8 then 'used' else 'valid' end,
              case when n % 10 < 8 then 1 else 0 end, at, case when n % 10 < 8 then at + interval '2 hours' end,
              case when n % 10 < 8 then at + interval '1 day' end, at + interval '4 hours', n % 10 < 8, n % 10 < 8, at::date
         from (select id as site from sites) s, generate_series(1, $1::integer) n,
              lateral (select date_trunc('milliseconds', now() - n * interval '11 hours' - site * interval '1 second') as at,
                              md5(site || '-' || n) as hash, 'Familie Huber, Zimmer ' || 100 + n % 400 as guest) as made`,
      [perSite],
    )
    await tx.query('insert into site_versions (site_id, version) select id, gen_random_uuid() from sites')
  })
}
