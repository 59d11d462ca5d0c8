import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { seedControlledSite, seedKey, seedVoucher } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { insertScheduledWithdrawals } from '../record/withdrawals.queries.ts'
import { deleteEndedVouchers } from './delete-ended-vouchers.ts'
import { syncSite } from './sync-site.ts'

const app = await startApp({ RETAIN_VOUCHERS_DAYS: '30' })
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

beforeEach(() => app.db.query('delete from vouchers'))

const recorded = async () =>
  (await app.db.query<{ code: string }>('select code from vouchers order by code')).rows.map(({ code }) => code)

test('a sync deletes vouchers that ended 30 days ago and are gone from the controller, and no others', async () => {
  const [old, recent] = [daysAgo(31), daysAgo(29)]
  await seedVoucher(app.db, site, { code: 'expired', status: 'expired', createdAt: daysAgo(40), expiresAt: old })
  await seedVoucher(app.db, site, { code: 'used', status: 'used', createdAt: daysAgo(40), expiresAt: old })
  await seedVoucher(app.db, site, { code: 'no end', status: 'expired', createdAt: daysAgo(40) })
  await seedVoucher(app.db, site, { code: 'revoked', status: 'revoked', createdAt: daysAgo(40) })
  await seedVoucher(app.db, site, { code: 'kept: just expired', status: 'expired', createdAt: old, expiresAt: recent })
  await seedVoucher(app.db, site, { code: 'kept: just revoked', status: 'revoked', createdAt: daysAgo(40) })
  await seedVoucher(app.db, site, { code: 'kept: minutes run', status: 'used', createdAt: old, expireMinutes: 50_000 })
  const withdrawn = await seedVoucher(app.db, site, {
    code: 'kept: to withdraw',
    status: 'used',
    createdAt: daysAgo(40),
  })
  await insertScheduledWithdrawals(app.db, site, [{ voucherId: withdrawn, reason: 'valid_until', dueAt: daysAgo(-1) }])
  await app.db.query(
    `update vouchers set revoked_at = case code when 'revoked' then $1::timestamptz else $2 end where status = 'revoked'`,
    [old, recent],
  )
  await syncSite(app.context, site)

  expect(await recorded()).toEqual([
    'kept: just expired',
    'kept: just revoked',
    'kept: minutes run',
    'kept: to withdraw',
  ])
})

test('a voucher that its controller still has stays in the record, however old it is, and so does a valid one', async () => {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  const code = async () => (await app.call('/api/vouchers.php', { method: 'POST', key, body })).json().code as string
  const [ended, valid] = [await code(), await code()]
  await app.db.query(`update vouchers set created_at = $1`, [daysAgo(400)])
  const end = () =>
    app.db.query(`update vouchers set status = 'expired', expires_at = $2, end_told = true where code = $1`, [
      ended,
      daysAgo(300),
    ])
  await end()
  const deleted = await deleteEndedVouchers(
    app.db,
    { siteId: site, endedDaysAgo: 30 },
    (voucher) => voucher.code === ended,
  )
  await syncSite(app.context, site) // the simulated controller says that it is valid

  expect(deleted).toBe(0)
  expect(await recorded()).toEqual([ended, valid].toSorted())
})

test('without the setting, nothing is deleted', async () => {
  await seedVoucher(app.db, site, {
    code: 'old',
    status: 'expired',
    createdAt: daysAgo(4_000),
    expiresAt: daysAgo(3_999),
  })
  await syncSite({ ...app.context, config: { ...app.context.config, retainVouchersDays: undefined } }, site)

  expect(await recorded()).toEqual(['old'])
})

test('a deletion lists and deletes at most 1,000 vouchers per statement, and skips those that stay', async () => {
  await app.db.query(
    `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status, created_at)
     select $1, gen_random_uuid(), 'c' || n, 'old ' || n, 'Gast', 'Gast', 1, 480, 'expired', now() - interval '1 year' - n * interval '1 second'
       from generate_series(1, 2500) n`,
    [site],
  )
  const statements = watchStatements()
  const isThere = ({ code }: { code: string }) => code === 'old 2500' // the oldest
  const deleted = await deleteEndedVouchers(app.db, { siteId: site, endedDaysAgo: 30 }, isThere)

  expect(deleted).toBe(2_499)
  expect(statements.filter((text) => /delete from vouchers/.test(text))).toHaveLength(3)
  expect(await recorded()).toEqual(['old 2500'])
})

test('the list of a site has a new version after a deletion', async () => {
  const list = async () => (await app.call(`/api/vouchers.php?site_id=${site}`, { key })).json().vouchers.length
  await seedVoucher(app.db, site, { status: 'expired', createdAt: daysAgo(400), expiresAt: daysAgo(399) })
  const before = await list()
  await syncSite(app.context, site)

  expect([before, await list()]).toEqual([1, 0])
})
