import { describe, expect, test, vi } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { seedVoucher } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { dialects } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { onClassic, startStay, uuidOf } from '#test/stay.ts'
import { startWorker } from './worker.ts'

const app = await startApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const { key, openSite, checkIn, revoke, read, outcomes, done, statusOf } = await startStay(app)

const revokedOn = async (siteId: number) =>
  (await app.db.query<{ revoked: number }>('select revoked from site_days where site_id = $1', [siteId])).rows.map(
    ({ revoked }) => revoked,
  )

test.each(dialects)('$dialect: a revocation by id deletes only this voucher on the controller', async (dialect) => {
  const site = await openSite(dialect)
  const [leaving, staying] = [await checkIn(site.id), await checkIn(site.id)]
  const began = Date.now()
  const id = await revoke({ voucher_ids: [leaving.id] })

  expect(await done(id)).toMatchObject({ total: 1, pending: 0, revoked: 1, ended: 0, failed: 0 })
  report(`${dialect.dialect}: one voucher withdrawn after, ms`, Date.now() - began)
  expect(await outcomes(id)).toEqual({ [leaving.id]: ['revoked', null] })
  expect(await read(`/vouchers/${leaving.id}`)).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) })
  expect([await site.onController(leaving.code), await site.onController(staying.code)]).toEqual([false, true])
  expect([await statusOf(staying.id), await revokedOn(site.id)]).toEqual(['valid', [1]])
  const listed = (await app.call(`/api/vouchers.php?site_id=${site.id}`, { key })).json().vouchers
  expect(listed.map(({ status }: any) => status).toSorted()).toEqual(['revoked', 'valid'])
})

test('a revocation by reference covers sites on several controllers', async () => {
  const sites = await Promise.all([openSite(), openSite(), openSite(onClassic)])
  const guests = await Promise.all(sites.flatMap(({ id }) => [checkIn(id), checkIn(id, { name: 'Other' })]))
  const meant = guests.filter((_, n) => n % 2 === 0)
  await app.db.query(`update vouchers set reference = 'R-77' where id = any ($1)`, [meant.map(({ id }) => uuidOf(id))])
  const id = await revoke({ filter: { reference: 'R-77' } })

  expect(await done(id)).toMatchObject({ total: 3, revoked: 3 })
  for (const [n, { id: voucher, code }] of guests.entries()) {
    const isMeant = n % 2 === 0
    expect(await statusOf(voucher)).toBe(isMeant ? 'revoked' : 'valid')
    expect(await sites[Math.floor(n / 2)]?.onController(code)).toBe(!isMeant)
  }
})

test('each row has its own outcome: an ended voucher is not an error, a used one whose time runs is withdrawn', async () => {
  const site = await openSite()
  const [fresh, running, over] = [await checkIn(site.id), await checkIn(site.id), await checkIn(site.id)]
  await site.simulator.redeem(running.code)
  await syncSite(app.context, site.id)
  expect(await statusOf(running.id)).toBe('used')
  await app.db.query(`update vouchers set expires_at = now() - interval '1 minute' where id = $1`, [uuidOf(over.id)])
  const revoked = `${site.id}-${await seedVoucher(app.db, site.id, { status: 'revoked' })}`
  const nameless = await seedVoucher(app.db, site.id, { code: '1111100000' })
  await app.db.query('update vouchers set controller_voucher_id = null where id = $1', [nameless])
  const id = await revoke({ voucher_ids: [fresh.id, running.id, over.id, revoked, `${site.id}-${nameless}`] })

  expect(await done(id)).toMatchObject({ total: 5, revoked: 2, ended: 2, failed: 1 })
  expect(await outcomes(id)).toEqual({
    [fresh.id]: ['revoked', null],
    [running.id]: ['revoked', null],
    [over.id]: ['ended', null],
    [revoked]: ['ended', null],
    [`${site.id}-${nameless}`]: ['failed', 'no_id'],
  })
  expect(await statusOf(running.id)).toBe('revoked')
  const again = await app.call(`/api/v2/vouchers/${fresh.id}`, { method: 'DELETE', key })
  expect(await done(again.json().id)).toMatchObject({ ended: 1 })
})

test('a voucher with the same code on another site is not revoked', async () => {
  const [here, there] = [await openSite(), await openSite()]
  for (const { simulator } of [here, there])
    await simulator.addVoucher({ internalReference: 'default', name: 'x', timeLimitMinutes: 60, code: '1234512345' })
  await app.db.query('update sites set adopts_vouchers = true where id = any ($1)', [[here.id, there.id]])
  for (const { id } of [here, there]) await syncSite(app.context, id)
  const { vouchers } = await read(`/vouchers?code=12345-12345&site_id=${here.id}`)
  const id = await revoke({ voucher_ids: [vouchers[0].id] })
  await done(id)

  expect([await here.onController('1234512345'), await there.onController('1234512345')]).toEqual([false, true])
  expect((await read(`/vouchers?code=1234512345&site_id=${there.id}`)).vouchers[0].status).toBe('valid')
})

describe('a controller', () => {
  test('that is down leaves a row pending with a failure, and the row is revoked when it is back', async () => {
    const site = await openSite()
    const guest = await checkIn(site.id)
    await site.simulator.behave({ booting: true })
    const id = await revoke({ voucher_ids: [guest.id] })
    await vi.waitFor(async () => expect((await outcomes(id))[guest.id]?.[1]).not.toBeNull(), { timeout: 30_000 })
    expect((await outcomes(id))[guest.id]).toEqual(['pending', expect.stringMatching(/^(failed|unreachable)$/)])
    expect(await statusOf(guest.id)).toBe('valid')
    await site.simulator.behave({ booting: false })

    expect(await done(id, 30_000)).toMatchObject({ revoked: 1 })
    expect(await outcomes(id)).toEqual({ [guest.id]: ['revoked', null] })
    expect(await site.onController(guest.code)).toBe(false)
  })

  test('that forbids a deletion: the deletion is retried, and the row fails after seven days', async () => {
    const site = await openSite()
    const guest = await checkIn(site.id)
    await site.simulator.fault('forbidden', { on: 'delete', times: 5 })
    const id = await revoke({ voucher_ids: [guest.id] })
    await vi.waitFor(async () => expect((await outcomes(id))[guest.id]?.[1]).toBe('forbidden'), { timeout: 30_000 })
    await app.db.query(
      `update withdrawals set attempts = 10, due_at = now() - interval '8 days', next_attempt_at = now() - interval '1 second'
        where revocation_id = $1`,
      [id],
    )

    expect(await done(id)).toMatchObject({ failed: 1 })
    expect(await outcomes(id)).toEqual({ [guest.id]: ['failed', 'forbidden'] })
    expect(await site.onController(guest.code)).toBe(true)
  })

  test.each(dialects.slice(0, 2))(
    'that deletes but does not answer: the row is revoked, even if a sync notices it first ($dialect)',
    async (dialect) => {
      const site = await openSite(dialect)
      const guest = await checkIn(site.id)
      await site.simulator.fault('created-then-reset', { on: 'delete' })
      const id = await revoke({ voucher_ids: [guest.id] })
      await vi.waitFor(async () => expect(await site.onController(guest.code)).toBe(false), { timeout: 30_000 })
      await syncSite(app.context, site.id)

      expect(await done(id)).toMatchObject({ revoked: 1, ended: 0 })
      expect(await revokedOn(site.id)).toEqual([1]) // counted once
    },
  )
})

test.each(dialects.slice(0, 2))('$dialect: vouchers that were deleted by hand become revoked too', async (dialect) => {
  const site = await openSite(dialect)
  const guests = await Promise.all(Array.from({ length: 8 }, () => checkIn(site.id)))
  for (const { code } of guests.slice(4)) await site.simulator.deleteVoucher(code)
  const id = await revoke({ voucher_ids: guests.map((guest) => guest.id) })

  expect(await done(id)).toMatchObject({ revoked: 8 })
})

test('a voucher that the controller cannot delete does not delay the others', async () => {
  const site = await openSite()
  const guests: { id: string; code: string }[] = []
  while (guests.length < 20) guests.push(...(await Promise.all([1, 2, 3, 4].map(() => checkIn(site.id))))) // four slots
  const [stubborn, ...others] = guests.map(({ id }) => id) as [string, ...string[]]
  await app.db.query(`update vouchers set controller_voucher_id = 'no id of this API' where id = $1`, [
    uuidOf(stubborn),
  ])
  const id = await revoke({ voucher_ids: guests.map((guest) => guest.id) })
  await vi.waitFor(async () => expect(await read(`/revocations/${id}`)).toMatchObject({ revoked: 19 }), {
    timeout: 30_000,
  })
  await vi.waitFor(async () => expect((await outcomes(id))[stubborn]).toEqual(['pending', 'rejected']), {
    timeout: 20_000,
  })

  for (const other of others) expect((await outcomes(id))[other]).toEqual(['revoked', null])
})

test('the Integration API deletes 1,000 vouchers in 20 calls of 50, each verified', async () => {
  const site = await openSite()
  await app.db.query('update sites set adopts_vouchers = true where id = $1', [site.id])
  const many = { internalReference: 'default', name: 'Tagung', timeLimitMinutes: 60, count: 1_000 }
  await site.simulator.addVoucher(many)
  await syncSite(app.context, site.id)
  await site.simulator.forget()
  const began = Date.now()
  const id = await revoke({ filter: { text: 'Tagung', site_id: [site.id] } })
  const accepted = Date.now() - began
  expect(await done(id, 30_000)).toMatchObject({ total: 1_000, revoked: 1_000 })
  report('1,000 vouchers on the Integration API: accepted and withdrawn after, ms', [accepted, Date.now() - began])
  const calls = (await site.simulator.requests()).length
  report('1,000 vouchers on the Integration API: calls, of which deletions', [calls, await site.deletions()])

  expect(await site.deletions()).toBe(20)
  expect(calls).toBeLessThan(60)
  expect(await revokedOn(site.id)).toEqual([1_000])
})
