import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { seedControlledSite } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const statements = watchStatements()
const vouchers = 20
const rounds = 300

/** The processor time of all backends that serve this test, in milliseconds. The kernel counts in steps of 10 ms. */
async function postgresMs(): Promise<number> {
  const { rows } = await app.db.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  )
  return rows.reduce((sum, { pid }) => sum + cpuMs(pid), 0)
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

test.each(dialects)('$dialect: what a sync costs that finds nothing new', { timeout: 120_000 }, async (dialect) => {
  const { driver, flavour } = dialect
  const simulator = await startSimulator('--flavour', flavour)
  await simulator.addVoucher({ internalReference: 'default', name: 'Guest', timeLimitMinutes: 480, count: vouchers })
  const siteId = await seedControlledSite(app.db, simulator, { driver })
  await app.db.query('update sites set adopts_vouchers = true where id = $1', [siteId])
  const sync = () => syncSite(app.context, siteId)
  const measure = async (work: () => Promise<void>) => {
    for (let i = 0; i < 20; i++) await work() // the first executions of a prepared statement are planned each time
    statements.length = 0
    const before = await postgresMs()
    for (let i = 0; i < rounds; i++) await work()
    return { ms: ((await postgresMs()) - before) / rounds, statements: (statements.length - 2) / rounds }
  }
  await sync()
  await sync()

  const unchanged = await measure(sync)
  const compared = await measure(async () => {
    await app.db.query('update sites set compared_list = null where id = $1', [siteId])
    await sync()
  })
  report(`${dialect.dialect}: sync of ${vouchers} vouchers without news, statements, ms of PostgreSQL`, [
    unchanged.statements,
    unchanged.ms,
  ])
  report(`${dialect.dialect}: the same with a comparison and one more update, statements, ms of PostgreSQL`, [
    compared.statements,
    compared.ms,
  ])

  expect(unchanged.statements).toBeLessThanOrEqual(3)
  expect(unchanged.ms).toBeLessThanOrEqual(1.5)
  expect(compared.ms).toBeGreaterThan(2 * unchanged.ms)
})
