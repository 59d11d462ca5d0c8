import { describe, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { range } from '#test/load.ts'
import { onClassic, onIntegration, startStay, uuidOf } from '#test/stay.ts'
import { withdrawDue } from './withdraw-due.ts'

const app = await startApp()
const { openSite, checkIn, revoke, read, done, statusOf } = await startStay(app)

const phone = '02:00:5e:00:53:01'

async function rowsOf(revocationId: string): Promise<[outcome: string, disconnected: string | null][]> {
  const { rows } = await read(`/revocations/${revocationId}/rows`)
  return rows.map(({ outcome, disconnected }: any) => [outcome, disconnected])
}

describe.each([onClassic, { driver: 'unifi-classic', flavour: 'self-hosted' }])('classic, $flavour', (dialect) => {
  test('the device is offline before the revocation is done', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const [guest, neighbour] = [await checkIn(site, { max_uses: 2 }), await checkIn(site, { max_uses: 2 })]
    await simulator.redeem(guest.code, phone)
    await simulator.redeem(neighbour.code, '02:00:5e:00:53:02')
    const online = async () => (await simulator.guests()).filter(({ authorized }) => authorized).map(({ code }) => code)
    const revocation = await revoke({ voucher_ids: [guest.id] })
    await simulator.fault('empty', { on: 'unauthorize' }) // the command is accepted and has no effect
    await withdrawDue(app.context, site)

    expect(await read(`/revocations/${revocation}`)).toMatchObject({ state: 'running', pending: 1 })
    expect(await statusOf(guest.id)).toBe('revoked')
    expect((await online()).toSorted()).toEqual([guest.code, neighbour.code].toSorted())

    await makeDue(revocation)
    await withdrawDue(app.context, site)

    expect(await online()).toEqual([neighbour.code])
    expect(await read(`/revocations/${revocation}`)).toMatchObject({ state: 'done', revoked: 1 })
    expect(await rowsOf(revocation)).toEqual([['revoked', 'all']])
  })

  test('nobody is online; and a controller that does not disconnect is given up after some attempts', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const [unused, stubborn] = [await checkIn(site), await checkIn(site, { max_uses: 2 })]
    const first = await revoke({ voucher_ids: [unused.id] })
    await withdrawDue(app.context, site)
    expect(await rowsOf(first)).toEqual([['revoked', 'none_online']])

    await simulator.redeem(stubborn.code, phone)
    const second = await revoke({ voucher_ids: [stubborn.id] })
    for (const _ of Array(5)) {
      expect(await rowsOf(second)).toEqual([['pending', null]])
      await makeDue(second)
      await simulator.fault('empty', { on: 'unauthorize' })
      await withdrawDue(app.context, site)
    }
    expect(await rowsOf(second)).toEqual([['revoked', 'failed']])
  })

  test('attempts before the controller answered do not count as attempts to disconnect', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const guest = await checkIn(site, { max_uses: 2 })
    await simulator.redeem(guest.code, phone)
    const revocation = await revoke({ voucher_ids: [guest.id] })
    await app.db.query('update withdrawals set attempts = 20 where revocation_id = $1', [revocation]) // a long outage
    await simulator.fault('empty', { on: 'unauthorize' })
    await withdrawDue(app.context, site)
    expect(await rowsOf(revocation)).toEqual([['pending', null]])
    await makeDue(revocation)
    await withdrawDue(app.context, site)

    expect(await rowsOf(revocation)).toEqual([['revoked', 'all']])
  })

  test('more devices than one call has time for: later attempts continue, and none counts as failed', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const [crowded, other] = [await checkIn(site, { max_uses: 20 }), await checkIn(site, { max_uses: 2 })]
    for (const n of Array(8).keys()) await simulator.redeem(crowded.code, `02:00:5e:00:53:1${n}`)
    await simulator.redeem(other.code, '02:00:5e:00:53:20')
    const online = async () => (await simulator.guests()).filter(({ authorized }) => authorized).length
    const revocation = await revoke({ voucher_ids: [crowded.id, other.id] })
    let ms = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 4_001)) // each command takes seconds
    try {
      for (let left = 9; left > 0; left--) {
        expect(await online()).toBe(left)
        await makeDue(revocation)
        await withdrawDue(app.context, site)
        const { rows } = await app.db.query(
          'select max(disconnect_attempts) as failed from withdrawals where revocation_id = $1',
          [revocation],
        )
        expect(rows).toEqual([{ failed: 0 }])
      }
    } finally {
      clock.mockRestore()
    }

    expect(await online()).toBe(0)
    expect(await rowsOf(revocation)).toEqual([
      ['revoked', 'all'],
      ['revoked', 'all'],
    ])
  })

  test('no time for all devices, and the controller does not disconnect: it is given up after some attempts', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const guest = await checkIn(site, { max_uses: 20 })
    for (const n of Array(3).keys()) await simulator.redeem(guest.code, `02:00:5e:00:53:3${n}`)
    const revocation = await revoke({ voucher_ids: [guest.id] })
    await simulator.fault('empty', { on: 'unauthorize', times: 100 })
    let ms = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 4_001))
    try {
      for (const _ of Array(5)) {
        expect(await rowsOf(revocation)).toEqual([['pending', null]])
        await makeDue(revocation)
        await withdrawDue(app.context, site)
      }
    } finally {
      clock.mockRestore()
    }

    expect(await rowsOf(revocation)).toEqual([['revoked', 'failed']])
  })

  test('an account that may not see guests: the voucher is gone, the outcome says failed, others do not wait', async () => {
    const { id: site, simulator, onController } = await openSite(dialect)
    const [guest, next] = [await checkIn(site), await checkIn(site)]
    await simulator.fault('forbidden', { on: 'guests' })
    const revocation = await revoke({ voucher_ids: [guest.id, next.id] })
    await withdrawDue(app.context, site)

    expect(await rowsOf(revocation)).toEqual([
      ['revoked', 'failed'],
      ['revoked', 'failed'],
    ])
    expect([await onController(guest.code), await onController(next.code)]).toEqual([false, false])
  })

  test('one device that cannot be disconnected: all others go offline, and only its voucher has failed attempts', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const guests = []
    for (const n of range(20)) {
      const guest = await checkIn(site, { max_uses: 2 })
      await simulator.redeem(guest.code, `02:00:5e:00:54:${String(n).padStart(2, '0')}`)
      guests.push(guest)
    }
    const online = async () => (await simulator.guests()).filter(({ authorized }) => authorized).map(({ code }) => code)
    await simulator.fault('server-error', { on: 'unauthorize', mac: '02:00:5e:00:54:07', times: 100 })
    const revocation = await revoke({ voucher_ids: guests.map(({ id }) => id) })
    await withdrawDue(app.context, site)

    expect(await online()).toEqual([guests[7]?.code])
    expect(await read(`/revocations/${revocation}`)).toMatchObject({ revoked: 19, pending: 1 })
    expect(await attemptsOf(revocation)).toEqual([1])
    for (const attempts of [2, 3, 4]) {
      await makeDue(revocation)
      await withdrawDue(app.context, site)
      expect(await attemptsOf(revocation)).toEqual([attempts])
    }
    await makeDue(revocation)
    await withdrawDue(app.context, site)

    const disconnected = (await rowsOf(revocation)).map(([, result]) => result)
    expect(disconnected.toSorted()).toEqual([...range(19).map(() => 'all'), 'failed'])
  })

  const outage = [
    ['slow', { on: 'list', delayMs: 0 }], // after the deletion
    ['reset', { on: 'guests' }],
    ['reset', { on: 'list' }], // the probe
  ] as const
  test.each([
    ['busy with commands', [['too-many', { on: 'unauthorize' }]]],
    ['busy with the list of guests', [['too-many', { on: 'guests' }]]],
    ['out of reach', outage],
  ] as const)('a controller that is %s costs no attempt of a voucher that was not tried', async (_, faults) => {
    const { id: site, simulator } = await openSite(dialect)
    const guest = await checkIn(site, { max_uses: 2 })
    await simulator.redeem(guest.code, phone)
    const revocation = await revoke({ voucher_ids: [guest.id] })
    for (const _ of range(6)) {
      for (const [kind, options] of faults) await simulator.fault(kind, options)
      await makeDue(revocation)
      await withdrawDue(app.context, site)
      expect(await rowsOf(revocation)).toEqual([['pending', null]])
    }
    expect(await attemptsOf(revocation)).toEqual([0])
    await makeDue(revocation)
    await withdrawDue(app.context, site)

    expect(await rowsOf(revocation)).toEqual([['revoked', 'all']])
  })

  test.each(['truncated', 'html-ok', 'server-error'])(
    'the list of guests cannot be read once (%s): it is read again',
    async (kind) => {
      const { id: site, simulator } = await openSite(dialect)
      const guest = await checkIn(site, { max_uses: 2 })
      await simulator.redeem(guest.code, phone)
      const revocation = await revoke({ voucher_ids: [guest.id] })
      await simulator.fault(kind, { on: 'guests' })
      await withdrawDue(app.context, site)
      expect(await rowsOf(revocation)).toEqual([['pending', null]])
      await makeDue(revocation)
      await withdrawDue(app.context, site)

      expect(await rowsOf(revocation)).toEqual([['revoked', 'all']])
    },
  )

  test('no MAC address is stored', async () => {
    const { id: site, simulator } = await openSite(dialect)
    const guest = await checkIn(site, { max_uses: 2 })
    await simulator.redeem(guest.code, phone)
    await revoke({ voucher_ids: [guest.id] })
    await withdrawDue(app.context, site)

    const { rows: tables } = await app.db.query<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
        where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      const { rowCount } = await app.db.query(`select from ${name} as t where t::text ilike '%02:00:5e%'`)
      expect(rowCount, name).toBe(0)
    }
  })
})

test('Integration: unsupported, and the device stays online', async () => {
  const { id: site, simulator } = await openSite(onIntegration)
  const guest = await checkIn(site, { max_uses: 2 })
  await simulator.redeem(guest.code, phone)
  const revocation = await revoke({ voucher_ids: [guest.id] })
  await withdrawDue(app.context, site)

  await done(revocation)
  expect(await rowsOf(revocation)).toEqual([['revoked', 'unsupported']])
  expect((await simulator.guests()).map(({ authorized }) => authorized)).toEqual([true])
})

test('a voucher that ends by valid_until also disconnects its devices', async () => {
  const { id: site, simulator } = await openSite(onClassic)
  const guest = await checkIn(site, { max_uses: 2 })
  await simulator.redeem(guest.code, phone)
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     values ($1, gen_random_uuid(), $2, 'valid_until', now() - interval '1 second', now() - interval '1 second')`,
    [site, uuidOf(guest.id)],
  )
  await withdrawDue(app.context, site)

  expect(await simulator.guests()).toMatchObject([{ authorized: false }])
})

/** The failed attempts to disconnect of the vouchers that are not settled. */
async function attemptsOf(revocationId: string): Promise<number[]> {
  const { rows } = await app.db.query<{ attempts: number }>(
    'select disconnect_attempts as attempts from withdrawals where revocation_id = $1 and settled_at is null',
    [revocationId],
  )
  return rows.map(({ attempts }) => attempts)
}

async function makeDue(revocationId: string): Promise<void> {
  await app.db.query(
    `update withdrawals set next_attempt_at = now() - interval '1 second' where revocation_id = $1 and settled_at is null`,
    [revocationId],
  )
}
