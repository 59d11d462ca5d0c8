import { describe, expect, test } from 'vitest'
import { withdrawDue } from '#domain/withdrawals/withdraw-due.ts'
import { startApp } from '#test/app.ts'
import { onClassic, onIntegration, startStay, uuidOf } from './stay.ts'

const app = await startApp()
const { key, openSite, checkIn, revoke, read, outcomes, statusOf } = await startStay(app)

describe.each([onClassic, onIntegration])('$driver', (dialect) => {
  test('"revoke what nobody used": used vouchers are kept, whether or not the record knows it', async () => {
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
  await withdrawDue(app.context, site)

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

async function makeDue(site: number): Promise<void> {
  const past = `now() - interval '1 second'`
  await app.db.query(
    `update withdrawals set due_at = least(due_at, ${past}), next_attempt_at = ${past}
      where site_id = $1 and settled_at is null`,
    [site],
  )
}
