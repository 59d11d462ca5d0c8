import { beforeEach, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { breakErasing } from '#test/data/break-erasing.ts'
import { watchStatements } from '#test/data/database.ts'
import { findText } from '#test/data/find-text.ts'
import { type SeedVoucher, seedBatch, seedControlledSite, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { insertHold } from '../hold.queries.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { readGuestDataSettings } from '../settings/guest-data.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { forgetGuests, isRunDue } from './forget-guests.ts'

const app = await startApp()
const { db, context } = app
const { session } = await seedPerson(db, { role: 'admin' })
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator)
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

beforeEach(async () => {
  for (const table of ['settings', 'withdrawals', 'vouchers', 'creations', 'batch_rows', 'batches', 'hold'])
    await db.query(`delete from ${table}`)
})

const change = async (body: object, path = '') =>
  app.call(`/api/v2/settings/guest-data${path}`, {
    method: path ? 'PUT' : 'PATCH',
    session,
    body: JSON.stringify(body),
  })
const forget = (stopping = new AbortController().signal) => forgetGuests(context, stopping)
/** Inserts a voucher and sets times that seeds do not have, in days before now. */
async function seed(code: string, voucher: SeedVoucher, ago: Record<string, number> = {}, siteId = site) {
  const id = await seedVoucher(db, siteId, { code, name: `2026-01-01_${code}`, createdAt: daysAgo(500), ...voucher })
  for (const [column, days] of Object.entries(ago))
    await db.query(`update vouchers set ${column} = $2 where id = $1`, [id, daysAgo(days)])
  return id
}
const names = async () =>
  Object.fromEntries(
    (await db.query<{ code: string; name: string }>('select code, name from vouchers order by code')).rows.map(
      ({ code, name }) => [code, name],
    ),
  )

test('guests are forgotten the chosen number of days after their voucher has ended in any way; guests who can still use a voucher keep the name', async () => {
  await seed('expired', { status: 'expired', expiresAt: daysAgo(31) })
  await seed('revoked', { status: 'revoked' }, { revoked_at: 31 })
  await seed('revoked before it expired', { status: 'revoked', expiresAt: daysAgo(2) }, { revoked_at: 31 })
  await seed('used up', { status: 'used', usedCount: 1, expiresAt: daysAgo(31) })
  await seed('end of the stay', { status: 'revoked' }, { valid_until: 31, revoked_at: 3 })
  await seed('ended by the controller', { status: 'expired' }, { synced_at: 31 })
  await seed('kept: expired', { status: 'expired', expiresAt: daysAgo(29) })
  await seed('kept: revoked', { status: 'revoked' }, { revoked_at: 29 })
  await seed('kept: used up', { status: 'used', usedCount: 1, expiresAt: daysAgo(29) })
  await seed('kept: minutes run', { status: 'used', expiresAt: daysAgo(-1) }, { valid_until: 40 })
  await seed('kept: minutes unknown', { status: 'used', expireMinutes: 500 * 1_440 })
  await seed('kept: ended by the controller', { status: 'expired' }, { synced_at: 29 })
  await seed('kept: valid', { status: 'valid' })
  await seed('kept: could not be revoked', { status: 'valid' }, { valid_until: 100 })
  await change({ forget_after_days: 30 })
  await forget()

  const after = await names()
  expect(Object.keys(after).filter((code) => after[code] === code)).toEqual(
    Object.keys(after).filter((code) => code.startsWith('kept')),
  )
  expect(Object.values(after).filter((name) => name === '–')).toHaveLength(6)
  expect((await readGuestDataSettings(db)).lastRun).toEqual({ at: expect.any(Date), vouchers: 6 })
})

test('a site with other days is forgotten after those; null means never, and inactive sites count too', async () => {
  const [sooner, never, inactive] = [await seedSite(db), await seedSite(db), await seedSite(db, { active: false })]
  for (const id of [site, sooner, never, inactive])
    for (const days of [5, 50, 500])
      await seed(`${id} ${days}`, { status: 'expired', expiresAt: daysAgo(days) }, {}, id)
  await change({ forget_after_days: 40 })
  await change({ forget_after_days: 3 }, `/sites/${sooner}`)
  await change({ forget_after_days: null }, `/sites/${never}`)
  await forget()

  const kept = Object.values(await names()).filter((name) => name !== '–')
  expect(kept.toSorted()).toEqual(
    [`${site} 5`, `${inactive} 5`, `${never} 5`, `${never} 50`, `${never} 500`].toSorted(),
  )
})

test('an unused voucher without an end is revoked first, and forgotten by a later run; one that was used meanwhile is kept', async () => {
  const issue = async (name: string) => {
    const body = JSON.stringify({ site_id: site, name, max_uses: 1, expire_minutes: 60 })
    return (await app.call('/api/v2/vouchers', { method: 'POST', session, body })).json().code as string
  }
  const [unused, used, young] = [await issue('Quastenflosser'), await issue('Benutzt'), await issue('Jung')]
  await db.query(`update vouchers set created_at = $2 where code = any ($1)`, [[unused, used], daysAgo(131)])
  await db.query(`update vouchers set created_at = $2 where code = $1`, [young, daysAgo(129)])
  await change({ forget_after_days: 30, unused_after_days: 100 })
  await forget()
  await forget()
  const { rows: scheduled } = await db.query('select reason, only_unused, is_bulk, outcome from withdrawals')
  const before = await names()
  await simulator.redeem(used)
  await withdrawDue(context, site)
  await forget()

  expect(scheduled).toEqual(
    Array.from({ length: 2 }, () => ({ reason: 'unused', only_unused: true, is_bulk: true, outcome: null })),
  )
  expect(before).toEqual({ [unused]: 'Quastenflosser', [used]: 'Benutzt', [young]: 'Jung' })
  expect(await names()).toEqual({ [unused]: '–', [used]: 'Benutzt', [young]: 'Jung' })
  const left = (await simulator.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code)
  expect(left.toSorted()).toEqual([used, young].toSorted())
})

test('unused vouchers are left alone without days for them, and if they have an end or cannot be deleted', async () => {
  await seed('no days', {})
  await change({ forget_after_days: 30 })
  await forget()
  await db.query('delete from vouchers')
  await seed('stay', {}, { valid_until: -3 })
  await seed('unused days', {}, { unused_until: -3 })
  await seed('without id', {})
  await db.query(`update vouchers set controller_voucher_id = null where code = 'without id'`)
  await seed('inactive site', {}, {}, await seedSite(db, { active: false }))
  await change({ unused_after_days: 10 })
  await forget()

  expect(await db.query('select from withdrawals')).toMatchObject({ rowCount: 0 })
})

test('rows of batches without a voucher are forgotten the chosen number of days after the batch, and the batch with its last row', async () => {
  const [old, recent] = [await seedBatch(db, site), await seedBatch(db, site)]
  await db.query(`update batch_rows set controller_name = '2026-01-01_Quastenflosser', reference = 'QF-4711'`)
  await db.query(`update batches set reference = 'QF-4712', finished_at = $2 where id = $1`, [old, daysAgo(31)])
  await db.query('update batches set finished_at = $2 where id = $1', [recent, daysAgo(29)])
  await change({ forget_after_days: 30 })
  await forget()

  const { rows } = await db.query('select batch_id as id, name, reference from batch_rows order by batch_id')
  expect(rows).toEqual([
    { id: old, name: '–', reference: null },
    { id: recent, name: 'Quastenflosser', reference: 'QF-4711' },
  ])
  expect(await findText(db, 'QF-4712')).toEqual([])
})

test('a run takes small steps, sites take turns, and it ends when somebody changes the settings', async () => {
  const other = await seedSite(db)
  for (const id of [site, other])
    await db.query(
      `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status,
         created_at, expires_at)
       select $1, gen_random_uuid(), 'c' || n, n::text, '2026-01-01_Gast', 'Gast', 1, 480, 'expired', $2, now() - n * interval '1 day'
         from generate_series(1, 1200) n`,
      [id, daysAgo(2_000)],
    )
  await change({ forget_after_days: 1_100 })
  const statements = watchStatements()
  await forget()
  const erased = async () =>
    (await db.query('select count(*)::integer as count from vouchers where erased_at is not null')).rows[0]
  expect(await erased()).toEqual({ count: 202 })
  await change({ forget_after_days: 1 })
  const running = forget()
  await vi.waitFor(async () => expect(await erased()).not.toEqual({ count: 202 }))
  await change({ forget_after_days: null })
  await running

  const { rows } = await db.query<{ count: number; oldest: boolean }>(
    `select count(*)::integer as count, bool_or(expires_at < $1 and erased_at is null) as oldest
       from vouchers where erased_at is null group by site_id`,
    [daysAgo(1_190)],
  )
  expect(rows.every(({ oldest }) => !oldest)).toBe(true)
  expect(Math.max(...rows.map(({ count }) => count))).toBeGreaterThan(0)
  expect(statements.filter((text) => /set name = '–'/.test(text)).length).toBeGreaterThan(2)
})

test('while the service is held, nothing is forgotten or withdrawn, and no run counts as the last one', async () => {
  await seed('expired', { status: 'expired', expiresAt: daysAgo(400) })
  await seed('unused', {})
  await insertHold(db, { reason: 'command', backupTakenAt: null })
  await change({ forget_after_days: 30, unused_after_days: 30 })
  await forget()

  expect(await names()).toEqual({ expired: 'expired', unused: 'unused' })
  expect(await db.query('select from withdrawals')).toMatchObject({ rowCount: 0 })
  expect((await readGuestDataSettings(db)).lastRun).toBeNull()
  expect(await isRunDue(context)).toBe(true)
})

test('a run is due an hour after the last one, and never while no days are chosen', async () => {
  expect(await isRunDue(context)).toBe(false)
  await change({ forget_after_days: 30 })
  expect(await isRunDue(context)).toBe(true)
  await forget()
  expect(await isRunDue(context)).toBe(false)
  await db.query(`update settings set changed_at = now() - interval '61 minutes' where name = 'guests_last_forgotten'`)
  expect(await isRunDue(context)).toBe(true)
})

test('a forgotten voucher that its controller still lists keeps no name after a sync', async () => {
  const body = JSON.stringify({ site_id: site, name: 'Quastenflosser', reference: 'QF-4711', expire_minutes: 60 })
  const { code } = (await app.call('/api/v2/vouchers', { method: 'POST', session, body })).json()
  await db.query(`update vouchers set status = 'expired', expires_at = $2 where code = $1`, [code, daysAgo(31)])
  await change({ forget_after_days: 30 })
  await forget()
  await db.query('update sites set compared_list = null, adopts_vouchers = true')
  await syncSite(context, site)
  await syncSite(context, site)

  expect((await names())[code]).toBe('–')
  expect(await findText(db, 'Quastenflosser', 'QF-4711')).toEqual([])
})

test('a site that fails does not hold up the others, and the run is not complete', async () => {
  const other = await seedSite(db)
  await seed('broken', { status: 'expired', expiresAt: daysAgo(40) })
  await seed('other', { status: 'expired', expiresAt: daysAgo(35) }, {}, other)
  await change({ forget_after_days: 30 })
  const repair = await breakErasing(db, 'broken')
  await expect(forget()).rejects.toThrow('this row is broken')

  expect(await names()).toEqual({ broken: 'broken', other: '–' })
  expect((await readGuestDataSettings(db)).lastRun).toBeNull()
  await repair()
  await forget()
  expect(await names()).toEqual({ broken: '–', other: '–' })
})
