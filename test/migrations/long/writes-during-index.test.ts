import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, seedVoucher } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { report } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const vouchers = 10_000_000
const sites = 1_000
const clients = 4
const promisedMs = 2_000

const { url } = await createTestDatabase()
/** Its writes may wait for a minute: the plain index blocks them that long. */
const db = connectDatabase({ url, poolSize: clients, timeoutMs: 3_600_000, onError: () => {} })
onFileEnd(() => db.close())
const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
cpSync(fileURLToPath(new URL('../../../src/db/migrations', import.meta.url)), folder, { recursive: true })

/** Runs statements one after the other on a connection without timeouts. */
async function run(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Inserts the vouchers without triggers, and without the indexes that no constraint needs: with them it would take many times as
 * long. The writes of this test do not need these indexes.
 */
async function seedVouchers(): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index i
      where indrelid = 'vouchers'::regclass and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  )
  await run(...rows.map(({ name }) => `drop index ${name}`))
  const parts = range(20)
  await withClients(2, parts, (part) =>
    run(
      'set session_replication_role = replica; set synchronous_commit = off',
      `insert into vouchers (site_id, id, code, controller_name, name, max_uses, expire_minutes, created_at)
       select site, md5(site || '-' || n)::uuid, n::text, 'Familie Huber', 'Familie Huber', 1, 1440, now() - n * interval '1 minute'
         from generate_series(1, ${sites}) site, generate_series(1, ${vouchers / sites}) n where site % ${parts.length} = ${part}`,
    ),
  )
  await run('analyze vouchers')
}

/** Applies a migration while clients create and change vouchers. Returns how long it took, and the longest write. */
async function measure(name: string, sql: string): Promise<{ migrationMs: number; longestWriteMs: number }> {
  writeFileSync(join(folder, `${name}.sql`), sql)
  let longestWriteMs = 0
  let isOver = false
  const timed = async (write: () => Promise<unknown>) => {
    const begin = performance.now()
    await write()
    longestWriteMs = Math.max(longestWriteMs, performance.now() - begin)
  }
  const writing = range(clients).map(async (client) => {
    const site = siteIds[client] as number
    while (!isOver) {
      await timed(() => seedVoucher(db, site))
      await timed(() =>
        db.query('update vouchers set used_count = used_count + 1 where site_id = $1 and id = md5($2)::uuid', [
          site,
          `${site}-1`,
        ]),
      )
      await pause(10)
    }
  })
  const begin = performance.now()
  try {
    expect(await migrate(url, { folder })).toEqual([name])
  } finally {
    isOver = true
  }
  const migrationMs = performance.now() - begin
  await Promise.all(writing)
  return { migrationMs, longestWriteMs }
}

const siteIds: number[] = []
for (let i = 0; i < clients; i++) siteIds.push(await seedSite(db, { name: `Hotel ${i}` }))

test('an index on 10 million vouchers is built while no write waits for two seconds', async () => {
  await seedVouchers()

  const inSteps = await measure(
    '9001_in_steps',
    `-- Runs in steps, without a transaction.
create index concurrently planted_in_steps on vouchers (site_id, name, id);`,
  )
  const plain = await measure('9002_plain', 'create index planted_plain on vouchers (site_id, name, id);')

  report('index in steps: seconds, longest write in ms', [inSteps.migrationMs / 1_000, inSteps.longestWriteMs])
  report('plain index: seconds, longest write in ms', [plain.migrationMs / 1_000, plain.longestWriteMs])
  expect(inSteps.longestWriteMs).toBeLessThan(promisedMs)
  expect(plain.longestWriteMs).toBeGreaterThan(promisedMs) // otherwise this test could not notice anything
}, 3_600_000)
