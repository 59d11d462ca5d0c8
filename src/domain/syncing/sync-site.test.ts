import { expect, test } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { db } = app
const { key } = await seedKey(db, { scope: 'write' })
const statements = watchStatements()

/** A site with one voucher whose list was compared with the record, so that a sync without a change compares nothing. */
async function startCompared({ driver, flavour }: (typeof dialects)[0]) {
  const simulator = await startSimulator('--flavour', flavour)
  const siteId = await seedControlledSite(db, simulator, { driver })
  const body = JSON.stringify({ site_id: siteId, name: 'Gast', max_uses: 2, expire_minutes: 60 })
  const code: string = (await app.call('/api/vouchers.php', { method: 'POST', key, body })).json().code
  const sync = async () => {
    statements.length = 0
    await syncSite(app.context, siteId)
    return statements.filter((text) => !text.includes('session_id')) // a driver that signs in reads its session
  }
  const set = (assignment: string) => db.query(`update sites set ${assignment} where id = $1`, [siteId])
  const voucher = async () =>
    (
      await db.query<{ status: string; usedCount: number }>(
        'select status, used_count as "usedCount" from vouchers where site_id = $1 and code = $2',
        [siteId, code],
      )
    ).rows[0]
  await sync()
  return { simulator, siteId, code, sync, set, voucher }
}

test.each(dialects)('$dialect: a sync that finds nothing new needs two statements', async (dialect) => {
  const { siteId, simulator, code, sync } = await startCompared(dialect)
  await simulator.redeem(code)
  await sync()
  await sync() // the record has changed since the list was compared with it
  const syncedAt = async () =>
    (
      await db.query<{ time: number }>('select extract(epoch from synced_at) as time from sites where id = $1', [
        siteId,
      ])
    ).rows[0]?.time
  const before = await syncedAt()
  const unchanged = await sync()

  expect(unchanged).toHaveLength(2)
  expect(unchanged[1]).toContain('update sites')
  expect(Number(await syncedAt())).toBeGreaterThan(Number(before))
})

test.each(dialects)('$dialect: a use is noticed after syncs that found nothing new', async (dialect) => {
  const { simulator, code, sync, voucher } = await startCompared(dialect)
  await sync()
  await simulator.redeem(code)
  await sync()

  expect(await voucher()).toEqual({ status: 'valid', usedCount: 1 })
})

test.each(dialects)('$dialect: a deletion is noticed after syncs that found nothing new', async (dialect) => {
  const { simulator, code, sync, voucher } = await startCompared(dialect)
  await sync()
  await simulator.deleteVoucher(code)
  await sync()

  expect(await voucher()).toMatchObject({ status: 'revoked' })
})

test.each(dialects)('$dialect: a changed record is compared with the same list again', async (dialect) => {
  const { siteId, sync, voucher } = await startCompared(dialect)
  await sync()
  await db.query(
    `update vouchers set status = 'revoked', revoked_at = now() - interval '1 minute' where site_id = $1`,
    [siteId],
  )
  await sync()

  expect(await voucher()).toMatchObject({ status: 'valid' })
})

test.each(dialects)('$dialect: a site that begins to adopt compares the same list again', async (dialect) => {
  const { siteId, simulator, sync, set } = await startCompared(dialect)
  await simulator.addVoucher({ internalReference: 'default', name: 'Others', timeLimitMinutes: 480, count: 3 })
  await sync()
  await sync()
  await set('adopts_vouchers = true')
  await sync()

  const { rows } = await db.query('select from vouchers where site_id = $1', [siteId])
  expect(rows).toHaveLength(4)
})

test.each(dialects)('$dialect: while a creation may still find its voucher, each list is compared', async (dialect) => {
  const { siteId, sync } = await startCompared(dialect)
  await db.query(
    `insert into creations (site_id, id, actor, request_hash, controller_name, max_uses, expire_minutes, state, sent_at,
       lease_until, settled_at)
     values ($1, uuid_v7(), 'service', '', 'Late', 1, 60, 'absent', now(), now(), now())`,
    [siteId],
  )

  expect((await sync()).length).toBeGreaterThan(2)
  expect((await sync()).length).toBeGreaterThan(2)
})

test.each(dialects)('$dialect: after a day the same list is compared again', async (dialect) => {
  const { sync, set } = await startCompared(dialect)
  await sync()
  await set(`compared_at = now() - interval '25 hours'`)

  expect((await sync()).length).toBeGreaterThan(2)
  expect(await sync()).toHaveLength(2)
})

test.each(dialects)(
  '$dialect: another error of the controller clock does not make a list different',
  async (dialect) => {
    const { simulator, code, sync, set } = await startCompared(dialect)
    await simulator.redeem(code)
    await sync()
    await sync()
    await set('next_sync_at = now()')
    await db.query('update controllers set stamp_skew_ms = coalesce(stamp_skew_ms, 0) + 700')

    expect(await sync()).toHaveLength(2)
  },
)
