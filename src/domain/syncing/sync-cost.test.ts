import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { report, size } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { syncSite } from './sync-site.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
const count = size(5_000, 20_000)

const statements = watchStatements()

/** The stored version of each voucher row, and the version of the list. They change only when something is written. */
async function rowVersions(siteId: number): Promise<string[]> {
  const { rows } = await app.db.query<{ row: string }>(
    `select concat_ws(' ', id, tableoid, ctid, xmin) as row from vouchers where site_id = $1
     union all select concat_ws(' ', 'version', version) from site_versions where site_id = $1`,
    [siteId],
  )
  return rows.map(({ row }) => row)
}

const title = `$dialect: a creation and a sync beside ${count} vouchers need few calls and statements`

test.each(dialects)(title, async ({ dialect, driver, flavour }) => {
  const simulator = await startSimulator('--flavour', flavour)
  await simulator.addVoucher({ internalReference: 'default', name: 'Old', timeLimitMinutes: 480, count })
  await simulator.clock({ advanceSeconds: 60 })
  const siteId = await seedControlledSite(app.db, simulator, { driver })
  await app.db.query('update sites set adopts_vouchers = true where id = $1', [siteId])
  const create = async () => {
    const body = JSON.stringify({ site_id: siteId, name: 'Gast' })
    expect((await app.call('/api/vouchers.php', { method: 'POST', key, body })).status).toBe(201)
  }
  const calls = async () => {
    const requests = await simulator.requests()
    await simulator.forget()
    return { calls: requests.length, bytes: requests.reduce((sum, { replyBytes }) => sum + (replyBytes ?? 0), 0) }
  }
  const sync = async () => {
    statements.length = 0
    const startedAt = Date.now()
    await syncSite(app.context, siteId)
    return { statements: statements.length, ms: Date.now() - startedAt, ...(await calls()) }
  }
  await create() // signs in, finds the site
  await calls()

  await create()
  const creation = await calls()
  const first = await sync()
  const before = new Set(await rowVersions(siteId))
  const unchanged = await sync()
  const written = (await rowVersions(siteId)).filter((row) => !before.has(row)).length
  report(`${dialect}: a creation beside ${count} vouchers, calls and bytes read`, [creation.calls, creation.bytes])
  report(`${dialect}: sync, calls, statements, ms`, [first.calls, first.statements, first.ms])
  report(`${dialect}: sync without changes, calls, statements, ms, voucher rows written`, [
    unchanged.calls,
    unchanged.statements,
    unchanged.ms,
    written,
  ])

  expect(creation.calls).toBeLessThanOrEqual(2)
  expect(creation.bytes).toBeLessThanOrEqual(64 * 1024)
  for (const one of [first, unchanged]) {
    expect(one.calls).toBeLessThanOrEqual(30)
    expect(one.statements).toBeLessThanOrEqual(10 + 3 * (count / 1_000))
  }
  expect([before.size, written]).toEqual([count + 3, 0])
  const { rows } = await app.db.query('select count(*)::integer as count from vouchers where site_id = $1', [siteId])
  expect(rows).toEqual([{ count: count + 2 }])
})
