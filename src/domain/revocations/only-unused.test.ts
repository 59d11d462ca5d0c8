import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import type { Simulator } from '#test/network/simulator.ts'
import { onClassic, onIntegration, startStay, uuidOf } from '#test/stay.ts'
import { takeDueWithdrawals } from '../record/due-withdrawals.queries.ts'
import { findSiteOnController } from '../sites/sites.queries.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { createUseFinder } from './find-used.ts'
import { withdrawDue } from './withdraw-due.ts'

const app = await startApp()
const { key, openSite, checkIn, revoke, read, outcomes, statusOf } = await startStay(app)

describe.each([onClassic, onIntegration])('$driver', (dialect) => {
  test('"revoke what nobody used" keeps used vouchers, even if the use is not recorded yet', async () => {
    const { id: site, simulator, onController } = await openSite(dialect)
    const [fresh, known, unnoticed] = [await checkIn(site), await checkIn(site), await checkIn(site, { max_uses: 2 })]
    await app.db.query('update vouchers set used_count = 1 where id = $1', [uuidOf(known.id)])
    await simulator.redeem(known.code)
    await simulator.redeem(unnoticed.code) // no sync has seen it
    const listed = (await read(`/vouchers?site_id=${site}&unused=true`)).vouchers.map(({ id }: any) => id)
    expect(listed.toSorted()).toEqual([fresh.id, unnoticed.id].toSorted())

    const revocation = await revoke({ filter: { site_id: [site], unused: true } })
    await withdrawDue(app.context, site)

    expect(await outcomes(revocation)).toEqual({ [fresh.id]: ['revoked', null], [unnoticed.id]: ['kept', null] })
    expect(await read(`/revocations/${revocation}`)).toMatchObject({ state: 'done', revoked: 1, kept: 1 })
    expect(await Promise.all([fresh, known, unnoticed].map(({ code }) => onController(code)))).toEqual([
      false,
      true,
      true,
    ])
    expect(await statusOf(fresh.id)).toBe('revoked')
  })

  test('a voucher that is gone already: ended, and nothing is deleted', async () => {
    const { id: site, simulator, deletions } = await openSite(dialect)
    const guest = await checkIn(site)
    await simulator.deleteVoucher(guest.code)
    const revocation = await revoke({ filter: { site_id: [site], unused: true } })
    await withdrawDue(app.context, site)

    expect(await outcomes(revocation)).toEqual({ [guest.id]: ['ended', null] })
    expect(await deletions()).toBe(0)
  })

  test('unused_days: withdrawn at that time if unused, kept if somebody signed in', async () => {
    const { id: site, simulator, onController } = await openSite(dialect)
    const create = async () => {
      const body = JSON.stringify({ site_id: site, name: 'Gast', max_uses: 2, unused_days: 7 })
      return (await app.call('/api/v2/vouchers', { method: 'POST', key, body })).json()
    }
    const [idle, busy] = [await create(), await create()]
    expect(Date.parse(idle.unused_until) - Date.parse(idle.created_at)).toBe(7 * 86_400_000)
    expect(idle.ends_at).toBeNull()
    await simulator.redeem(busy.code)
    await withdrawDue(app.context, site)
    expect(await onController(idle.code)).toBe(true)

    await makeDue(site)
    await withdrawDue(app.context, site)

    expect([await onController(idle.code), await onController(busy.code)]).toEqual([false, true])
    const { rows } = await app.db.query(
      'select voucher_id, reason, outcome from withdrawals where site_id = $1 order by outcome',
      [site],
    )
    expect(rows).toEqual([
      { voucher_id: uuidOf(busy.id), reason: 'unused', outcome: 'kept' },
      { voucher_id: uuidOf(idle.id), reason: 'unused', outcome: 'revoked' },
    ])
  })

  test('while the controller is out of reach nothing is decided; later it is', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const guest = await checkIn(site)
    await simulator.behave({ booting: true })
    const revocation = await revoke({ filter: { site_id: [site], unused: true } })
    await withdrawDue(app.context, site)
    expect((await outcomes(revocation))[guest.id]?.[0]).toBe('pending')

    await simulator.behave({ booting: false })
    await app.db.query('delete from controller_outages')
    await makeDue(site)
    await withdrawDue(app.context, site)
    expect((await outcomes(revocation))[guest.id]?.[0]).toBe('revoked')
  })
})

test('hundreds of vouchers need one reading of the list, not one for each 50', async () => {
  const { id: site, simulator, deletions } = await openSite(onIntegration)
  await app.db.query('update sites set adopts_vouchers = true where id = $1', [site])
  await simulator.addVoucher({ internalReference: 'default', name: 'Messe', timeLimitMinutes: 60, count: 300 })
  await syncSite(app.context, site)
  const revocation = await revoke({ filter: { site_id: [site], unused: true } })
  await simulator.forget()
  holdTime()
  await withdrawDue(app.context, site)

  expect(await read(`/revocations/${revocation}`)).toMatchObject({ state: 'done', revoked: 300 })
  expect([await deletions(), await wholeLists(simulator)]).toEqual([6, 1])
})

test('a list that cannot be read is not read again for each 50', async () => {
  const { id: site, simulator, deletions } = await openSite(onIntegration)
  await app.db.query('update sites set adopts_vouchers = true where id = $1', [site])
  await simulator.addVoucher({ internalReference: 'default', name: 'Messe', timeLimitMinutes: 60, count: 120 })
  await syncSite(app.context, site)
  const revocation = await revoke({ filter: { site_id: [site], unused: true } })
  await simulator.forget()
  await simulator.fault('html-ok', { on: 'list', times: 100 })
  holdTime()
  await withdrawDue(app.context, site)

  expect(await read(`/revocations/${revocation}`)).toMatchObject({ state: 'running', pending: 120 })
  expect([await deletions(), await wholeLists(simulator)]).toEqual([0, 1])
})

describe('one reading', () => {
  /** A site with due withdrawals of unused vouchers, and the function that finds out which of them are used. */
  async function startFinding() {
    const { id: site, simulator } = await openSite(onIntegration)
    const findUsed = createUseFinder(app.context, (await findSiteOnController(app.db, site)) as any)
    const takeNew = async () => {
      const guest = await checkIn(site, { max_uses: 2 })
      await revoke({ filter: { code: guest.code, unused: true } })
      return { ...guest, due: await takeDueWithdrawals(app.db, site, 'conditional', 50) }
    }
    return { simulator, findUsed, takeNew }
  }

  test('is used for ten seconds; the next reading finds a sign-in since then', async () => {
    const { simulator, findUsed, takeNew } = await startFinding()
    const { code, due } = await takeNew()
    await simulator.forget()
    const time = holdTime()
    expect(await findUsed(due)).toMatchObject({ used: [], vanished: [] })
    await simulator.redeem(code)
    time.advance(9_999)
    await findUsed(due)
    expect(await wholeLists(simulator)).toBe(1)

    time.advance(1)
    expect(await findUsed(due)).toMatchObject({ used: due, vanished: [] })
    expect(await wholeLists(simulator)).toBe(2)
  })

  test('is not used for a voucher that was made after it: that voucher has not vanished', async () => {
    const { simulator, findUsed, takeNew } = await startFinding()
    holdTime()
    const earlier = await takeNew()
    await findUsed(earlier.due)
    const later = await takeNew()

    expect(await findUsed(later.due)).toMatchObject({ used: [], vanished: [] })
    await simulator.deleteVoucher(later.code)
    expect(await findUsed(earlier.due)).toMatchObject({ used: [], vanished: [] })
  })
})

test('a voucher that had vanished and is there again is withdrawn, unless somebody uses it', async () => {
  const { id: site, simulator, onController } = await openSite()
  const [idle, used, decided] = [await checkIn(site), await checkIn(site, { max_uses: 2 }), await checkIn(site)]
  await revoke({ filter: { site_id: [site], unused: true } })
  // An hour ago they were not on the controller, or were deleted there. Its backup was restored since then.
  await app.db.query(
    `update withdrawals set settled_at = now() - interval '1 hour',
            outcome = case voucher_id when $2 then 'revoked' else 'ended' end
      where site_id = $1`,
    [site, uuidOf(decided.id)],
  )
  await app.db.query(
    `update vouchers set status = 'revoked', revoked_at = now() - interval '1 hour' where site_id = $1`,
    [site],
  )
  for (const { code } of [used, decided]) await simulator.redeem(code)
  await syncSite(app.context, site)
  await withdrawDue(app.context, site)

  expect(await Promise.all([idle, used, decided].map(({ code }) => onController(code)))).toEqual([false, true, false])
  expect(await Promise.all([idle, used].map(({ id }) => statusOf(id)))).toEqual(['revoked', 'valid'])
})

test('a use that the record did not have brings the next sync of an idle site forward', async () => {
  const { id: site, simulator } = await openSite()
  const guest = await checkIn(site, { max_uses: 2 })
  await simulator.redeem(guest.code)
  await app.db.query(`update sites set next_sync_at = now() + interval '1 hour' where id = $1`, [site])
  await revoke({ filter: { site_id: [site], unused: true } })
  await withdrawDue(app.context, site)

  const { rows } = await app.db.query(
    `select next_sync_at < now() + interval '6 minutes' as soon from sites where id = $1`,
    [site],
  )
  expect(rows).toEqual([{ soon: true }])
})

test('a voucher whose id on the controller is not known yet is found by its code', async () => {
  const { id: site, simulator } = await openSite()
  const guest = await checkIn(site, { max_uses: 2 })
  await app.db.query('update vouchers set controller_voucher_id = null where id = $1', [uuidOf(guest.id)])
  await simulator.redeem(guest.code)
  const revocation = await revoke({ filter: { site_id: [site], unused: true } })
  await withdrawDue(app.context, site)

  expect(await outcomes(revocation)).toEqual({ [guest.id]: ['kept', null] })
})

test('a list that cannot be read holds up only the vouchers that depend on it', async () => {
  const { id: site, simulator, onController } = await openSite(onIntegration)
  const [idle, leaving] = [await checkIn(site), await checkIn(site)]
  const waiting = await revoke({ filter: { code: idle.code, unused: true } })
  const leave = await revoke({ voucher_ids: [leaving.id] })
  await simulator.fault('html-ok', { on: 'list' })
  await withdrawDue(app.context, site, ['conditional']) // alone, because each kind reads the list, and only one reading fails
  await withdrawDue(app.context, site, ['small'])

  expect(await outcomes(leave)).toEqual({ [leaving.id]: ['revoked', null] })
  expect((await outcomes(waiting))[idle.id]?.[0]).toBe('pending')
  expect([await onController(leaving.code), await onController(idle.code)]).toEqual([false, true])
})

test('a template gives its unused_days to vouchers and batches; the request may have its own', async () => {
  const { id: site } = await openSite()
  const { rows } = await app.db.query<{ id: string }>(
    `insert into templates (id, name, max_uses, expire_minutes, unused_days) values (gen_random_uuid(), 'Tag', 1, 60, 3)
     returning id`,
  )
  const post = async (path: string, change: object) => {
    const body = JSON.stringify({ site_id: site, name: 'Gast', template_id: rows[0]?.id, ...change })
    return (await app.call(`/api/v2${path}`, { method: 'POST', key, body })).json()
  }
  const daysOf = (voucher: any) => (Date.parse(voucher.unused_until) - Date.parse(voucher.created_at)) / 86_400_000

  expect(daysOf(await post('/vouchers', {}))).toBe(3)
  expect(daysOf(await post('/vouchers', { unused_days: 30 }))).toBe(30)
  expect(await post('/batches', { count: 1 })).toMatchObject({ unused_days: 3 })
})

/** Stops the monotonic clock of this process, so that a busy machine does not change the number of readings. */
function holdTime() {
  let ms = Math.round(performance.now())
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms)
  onTestFinished(() => clock.mockRestore())
  return {
    advance: (byMs: number) => {
      ms += byMs
    },
  }
}

/** How often the list of vouchers was requested without a filter. */
async function wholeLists(simulator: Simulator): Promise<number> {
  const requests = await simulator.requests()
  return requests.filter(
    ({ method, path, query }) => method === 'GET' && path.endsWith('/vouchers') && !query.includes('filter='),
  ).length
}

async function makeDue(site: number): Promise<void> {
  const past = `now() - interval '1 second'`
  await app.db.query(
    `update withdrawals set due_at = least(due_at, ${past}), next_attempt_at = ${past}
      where site_id = $1 and settled_at is null`,
    [site],
  )
}
