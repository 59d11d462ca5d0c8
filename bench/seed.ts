import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { connectDatabase, type Database } from '#db/database.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { seedKeyOfAnyVersion, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { insertVouchers } from './insert-vouchers.ts'
import { listSize } from './statements.ts'

/**
 * The number of controllers in the database. They all are the same simulated controller. Of the sites with seeded vouchers, it
 * has only the first ones, one for each controller.
 */
export const controllerCount = 64
/** More keys than connections, so that concurrent requests seldom have the same key. Such requests would share a lookup. */
const keyCount = 100
/** The highest limit that a key can have. With 100 such keys, no request is rejected at 100,000 requests a second. */
const rateLimit = 100_000

export const controllerKey = 'bench'

/** Two more sites without seeded vouchers, for the workloads of the worker. They have the two highest numbers. */
export const extraSites = ['jobs', 'sync']

export type BenchDatabase = { url: string; sites: number; keys: string[]; db: Database; close(): Promise<void> }

/** Seeding does not have to wait for the disk. */
const settings = { synchronous_commit: 'off' }

type Wanted = {
  serverUrl: string
  vouchers: number
  keep: boolean
  /** The folder of the build, whose migrations decide which database it needs. */
  folder: string
  migrate: (databaseUrl: string) => Promise<void>
}

/** Opens the database of this size, and seeds it unless an earlier run has kept it. */
export async function openBenchDatabase({
  serverUrl,
  vouchers,
  keep,
  folder,
  migrate,
}: Wanted): Promise<BenchDatabase> {
  const name = `voucher_bench_${vouchers}_${hashOfMigrations(folder)}`
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
  const isNew = await createUnlessSeeded(serverUrl, name, url)
  if (isNew) await migrate(url)
  const db = connectDatabase({ url, poolSize: 4, timeoutMs: 3_600_000, onError: () => {}, settings })
  const sites = Math.max(1, Math.min(1_000, Math.floor(vouchers / listSize)))
  if (isNew) await seed(db, sites, vouchers)
  else await removeTraces(db)
  const keys: string[] = []
  for (let i = 0; i < keyCount; i++) keys.push(await seedKeyOfAnyVersion(db, 'write', rateLimit))
  return {
    url,
    sites,
    keys,
    db,
    async close() {
      await db.close()
      if (!keep) await queryServer(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}

function hashOfMigrations(folder: string): string {
  const hash = createHash('sha256')
  for (const file of globSync('src/db/migrations/*.sql', { cwd: folder }).toSorted())
    hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 8)
}

/**
 * Returns false if the database is already seeded. The table `bench_seeded` is created last: a database without it comes from
 * an interrupted run and is created again.
 */
async function createUnlessSeeded(serverUrl: string, name: string, url: string): Promise<boolean> {
  const found = await queryServer(url, `select to_regclass('bench_seeded') is not null as seeded`).catch(() => [])
  if (found[0]?.['seeded'] === true) return false
  await queryServer(serverUrl, `drop database if exists ${name} with (force)`)
  await queryServer(serverUrl, `create database ${name}`)
  return true
}

export async function queryServer(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function seed(db: Database, sites: number, vouchers: number): Promise<void> {
  for (let i = 1; i <= controllerCount; i++)
    await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
      name: `bench ${i}`,
      driver: 'unifi-integration',
      address: 'http://127.0.0.1:9',
      credentials: { apiKey: controllerKey },
    })
  await db.query(
    `insert into sites (name, controller_id, controller_site, next_sync_at)
     select 'Hotel ' || n, (select id from controllers where name = 'bench ' || (n - 1) % ${controllerCount} + 1),
            'site-' || n, now() + interval '1 year'
       from generate_series(1, $1::integer) n
     union all select initcap(name), (select id from controllers c where c.name = 'bench 1'), name, now() + interval '1 year'
       from unnest($2::text[]) name`,
    [sites, extraSites],
  )
  await insertVouchers(db, vouchersStatement, [sites, Math.ceil(vouchers / sites)])
  await db.query('vacuum (analyze) vouchers')
  await db.query('vacuum (analyze) site_versions')
  await db.query('checkpoint')
  await db.query('create table bench_seeded ()')
}

/**
 * The states of the seeded vouchers: of ten, seven are used and expired, two are unused and one is revoked. None
 * expires during a run.
 */
const vouchersStatement = `
  insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status,
    used_count, created_at, first_used_at, expires_at, revoked_at, synced_at, first_use_told, end_told, issued_on)
  select site, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8'
           || substr(hash, 4, 15))::uuid,
         hash::uuid::text, lpad((('x' || substr(hash, 1, 12))::bit(48)::bigint % 10000000000)::text, 10, '0'),
         to_char(at, 'YYYY-MM-DD_') || guest, guest, 1 + n % 4, 1440 * (1 + n % 7),
         case when n % 10 < 7 then 'used' when n % 10 < 9 then 'valid' else 'revoked' end,
         case when n % 10 < 7 then 1 + n % 2 else 0 end, at,
         case when n % 10 < 7 then at + interval '2 hours' end, case when n % 10 < 7 then at + interval '1 day' end,
         case when n % 10 = 9 then at + interval '3 hours' end, at + interval '4 hours', n % 10 < 7, n % 10 <> 7 and n % 10 <> 8,
         at::date
    from generate_series(1, $1::integer) site, generate_series(1, $2::integer) n,
         lateral (select date_trunc('milliseconds', now() - interval '10 days' - n * interval '11 minutes' - site * interval '1 second') as at,
                         md5(site || '-' || n) as hash,
                         (array['Familie Huber', 'Fr. Dr. Novak', 'Workshop', 'Seminar Alpenblick'])[1 + n % 4] || ', Zimmer '
                           || 100 + n % 400 as guest) as made`

/** Removes the rows that an earlier run added to a kept database. */
async function removeTraces(db: Database): Promise<void> {
  await db.query(
    `delete from vouchers
      where creation_id is not null or site_id in (select id from sites where controller_site = any ($1))`,
    [extraSites],
  )
  await db.query('truncate creations, batches, batch_rows, withdrawals, revocations, site_days')
  await db.query('delete from webhooks')
  await db.query('delete from events')
  await db.query('delete from pgboss.job') // jobs of an interrupted run would block the sites
}
