import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { range } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startMariaDB } from '#test/php-tool/mariadb.ts'
import { createToolTables, seedToolKey, seedToolSite } from '#test/php-tool/tables.ts'
import { spawnCommand } from '#test/service.ts'

const sites = size(20, 200)
const keys = size(5, 50)
const vouchers = size(5_000, 100_000)
const kills = size(4, 20)
const mostMs = 300_000
/** Two whole imports, and one half on average for each kill. */
const mostKillingMs = (2 + kills / 2) * mostMs

const mariadb = await startMariaDB()
const tool = await mariadb.createDatabase('tool')
await createToolTables(tool)
const simulator = await startSimulator('--https')
const texts: string[] = []
for (const number of range(sites))
  await seedToolSite(tool, {
    id: 10 * number + 3,
    name: `Haus ${number}`,
    site_id: `site${number}`,
    unifi_controller_url: simulator.url,
  })
for (const _ of range(keys)) texts.push((await seedToolKey(tool)).key)
await tool.query(
  `insert into vouchers (site_id, voucher_code, voucher_name, max_uses, expire_minutes, unifi_voucher_id, created_at)
   select 10 * (seq % ?) + 3, lpad(seq, 10, '0'), concat('2026-11-01_Gast ', seq), 1, 480, lpad(hex(seq), 24, '0'),
           date_add("2026-01-01", interval seq minute)
     from seq_1_to_${vouchers}`,
  [sites],
)

const folder = mkdtempSync(join(tmpdir(), 'move-in-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'url'), `${tool.url}\n`)
writeFileSync(join(folder, 'pins'), `${simulator.url} ${simulator.fingerprint}\n`)
const command = [
  '--json',
  'import',
  'php-tool',
  '--mysql-url-file',
  join(folder, 'url'),
  '--trust-pins',
  join(folder, 'pins'),
]

test('everything comes over in time, every key works, the lists are the same, and a second import changes nothing', async () => {
  const app = await startApp()
  const begunAt = performance.now()
  const first = await spawnCommand(app.db.url, command)
  const ms = performance.now() - begunAt
  expect([first.exitCode, ms < mostMs]).toEqual([0, true])
  report(`seconds to import ${vouchers} vouchers of ${sites} sites`, ms / 1000)

  for (const key of texts) {
    const answer = (await app.call('/api/sites.php', { key })).json()
    expect(answer.sites.map(({ id }: { id: number }) => id).toSorted()).toEqual(
      range(sites)
        .map((n) => 10 * n + 3)
        .toSorted(),
    )
  }
  for (const site of [3, 13, 10 * (sites - 1) + 3]) {
    const inTool = await tool.query(
      `select voucher_code, voucher_name, max_uses, expire_minutes, status, used_count from vouchers where site_id = ?
        order by created_at desc limit 200`,
      [site],
    )
    const list = (await app.call(`/api/vouchers.php?site_id=${site}`, { key: texts[0] as string })).json().vouchers
    expect(list.map(({ created_at: _, expires_at: __, ...voucher }: Record<string, unknown>) => voucher)).toEqual(
      inTool,
    )
  }
  const contents = () => fingerprint(app.db)
  const before = await contents()
  const second = await spawnCommand(app.db.url, command)
  expect([second.exitCode, second.json().counts.every(({ added }: { added: number }) => added === 0)]).toEqual([
    0,
    true,
  ])
  expect(await contents()).toBe(before)
}, 600_000)

test(`killed at ${kills} moments, the import has done all or nothing`, { timeout: mostKillingMs }, async () => {
  const db = await createTestDatabase()
  const begunAt = performance.now()
  await spawnCommand((await createTestDatabase()).url, command)
  const wholeMs = performance.now() - begunAt
  const counts = new Set<string>()
  for (const number of range(kills)) {
    await spawnCommand(db.url, command, { stopAfter: pause(((number + 0.5) / kills) * wholeMs), signal: 'SIGKILL' })
    await expect.poll(() => countOthers(db)).toBe(0) // PostgreSQL notices the end of a connection after its statement
    const { rows } = await db.query(
      `select (select count(*) from sites)::integer as sites, (select count(*) from vouchers)::integer as vouchers,
              (select count(*) from api_keys where revoked_at is null)::integer as keys, (select count(*) from hold)::integer as hold,
              (select count(*) from audit where action = 'record.moved_in')::integer as moved`,
    )
    counts.add(JSON.stringify(rows[0]))
    // The settings have the rows that an import brought. A later import leaves out those that somebody removed.
    await db.query(
      'truncate vouchers, sites, api_keys, api_key_secrets, api_key_sites, controllers, hold, audit, site_days, staff, settings cascade',
    )
  }
  const [none, all] = [0, 1].map((part) =>
    JSON.stringify({ sites: part * sites, vouchers: part * vouchers, keys: part * keys, hold: part, moved: part }),
  )
  expect([...counts].filter((each) => each !== none && each !== all)).toEqual([])
  expect(counts).toContain(none)
})

async function countOthers(db: Queryable): Promise<number | null> {
  const others = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  return (await db.query(others)).rowCount
}

/** A hash of everything that an import writes. The time at which a key was last used is written by the service. */
async function fingerprint(db: Queryable): Promise<string> {
  const hash = createHash('sha256')
  for (const table of [
    'sites',
    'vouchers',
    'api_keys',
    'api_key_secrets',
    'site_days',
    'controllers',
    'audit',
    'hold',
  ]) {
    const { rows } = await db.query(
      `select md5(string_agg((to_jsonb(t) - 'last_used_at')::text, '' order by (to_jsonb(t) - 'last_used_at')::text)) from ${table} t`,
    )
    hash.update(JSON.stringify(rows))
  }
  return hash.digest('hex')
}
