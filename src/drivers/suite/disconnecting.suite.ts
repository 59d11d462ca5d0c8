import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { ControllerVoucher, VoucherToDisconnect } from '../driver.ts'
import type { Bench } from './setup.suite.ts'

const msPerDay = 86_400_000

let devices = 0
/** A new device for each test, because a device that is signed in twice is a case of its own. */
const newMac = () => `02:00:5e:00:00:${(++devices).toString(16).padStart(2, '0')}`

/** Matches the MAC address of every test device, in all the ways in which a MAC address is written. */
const anyMac = /02[:.-]?00[:.-]?5e[:.-]?00[:.-]?00/i

export function testDisconnecting(bench: Bench): void {
  const { simulator, connection, create } = bench

  /** Creates a voucher, signs these devices in with it, and deletes it as a withdrawal does. */
  async function usedBy(...signedIn: string[]): Promise<ControllerVoucher & { id: string }> {
    const [voucher] = (await create({ maxUses: 5 })) as [ControllerVoucher & { id: string }]
    for (const mac of signedIn) await simulator.redeem(voucher.code, mac)
    await connection.delete('default', [voucher.id])
    return voucher
  }

  async function disconnect(...vouchers: (ControllerVoucher & { id: string })[]): Promise<(string | undefined)[]> {
    const asked = vouchers.map(({ id, code }): VoucherToDisconnect => ({ id, code, createdAt: new Date() }))
    const results = await connection.disconnect('default', asked)
    expect(results.size).toBe(vouchers.length)
    return vouchers.map(({ id }) => results.get(id))
  }

  const authorized = async (code: string | null) =>
    (await simulator.guests()).filter((guest) => guest.code === code && guest.authorized).map(({ mac }) => mac)

  if (!bench.namesGuests) {
    test('disconnect: unsupported, because no field names the voucher of a device; nothing is sent', async () => {
      const voucher = await usedBy(newMac())
      await simulator.forget()

      expect(await disconnect(voucher)).toEqual(['unsupported'])
      expect(await simulator.requests()).toEqual([])
      expect(await authorized(voucher.code)).toHaveLength(1)
    })
    return
  }

  test('disconnect: all devices of the vouchers, and no others, with two readings of the guests', async () => {
    const [first, second, unused, other] = [
      await usedBy(newMac(), newMac()),
      await usedBy(newMac()),
      await usedBy(),
      await usedBy(newMac()),
    ]
    await simulator.addGuest(newMac())
    await simulator.forget()

    expect(await disconnect(first, second, unused)).toEqual(['all', 'all', 'none_online'])
    const paths = (await simulator.requests()).map(({ path }) => path.replace(/.*\//, ''))
    expect(paths).toEqual(['guest', 'stamgr', 'stamgr', 'stamgr', 'guest'])
    expect([...(await authorized(first.code)), ...(await authorized(second.code))]).toEqual([])
    expect(await authorized(other.code)).toHaveLength(1)
    expect((await authorized(null)).length).toBeGreaterThan(0)
    expect(await disconnect(first)).toEqual(['none_online'])
    expect(await connection.disconnect('default', [])).toEqual(new Map())
  })

  test.each([
    ['forgetUnauthorized', 0],
    ['guestsWithoutExpired', 0],
    ['guestsWithoutExpired', 7_200],
    ['guestsWithoutExpired', -7_200],
  ])('disconnect: a controller with %s, %d seconds ahead', async (behaviour, advanceSeconds) => {
    await simulator.clock({ advanceSeconds })
    await simulator.behave({ [behaviour]: true })
    const voucher = await usedBy(newMac())

    expect(await disconnect(voucher)).toEqual(['all'])
    expect(await authorized(voucher.code)).toEqual([])
    await simulator.clock({ advanceSeconds: -advanceSeconds })
  })

  test('disconnect: a device that signed in months ago', async () => {
    const [voucher] = (await create({ expireMinutes: 500_000 })) as [ControllerVoucher & { id: string }]
    await simulator.redeem(voucher.code, newMac())
    await simulator.clock({ advanceSeconds: (300 * msPerDay) / 1_000 })
    const createdAt = new Date(Date.now() - 300 * msPerDay + 60_000)
    await simulator.forget()
    const results = await connection.disconnect('default', [{ id: voucher.id, code: voucher.code, createdAt }])
    const [reading] = (await simulator.requests()).filter(({ path }) => path.endsWith('stat/guest'))
    await simulator.clock({ advanceSeconds: (-300 * msPerDay) / 1_000 })

    expect(results.get(voucher.id)).toBe('all')
    expect(reading?.body).toEqual({ within: 301 * 24 })
  })

  test('disconnect: unsupported if guests do not name their voucher, and nobody is disconnected', async () => {
    const [voucher, unused] = [await usedBy(newMac()), await usedBy()]
    await simulator.behave({ guestsNameVoucher: false })

    expect(await disconnect(voucher, unused)).toEqual(['unsupported', 'unsupported'])
    expect(await authorized(voucher.code)).toHaveLength(1)
    await simulator.behave({ guestsNameVoucher: true })
    expect(await disconnect(voucher)).toEqual(['all'])
  })

  test('disconnect: a device that is also signed in by other means stays, and the answer is unsupported', async () => {
    const shared = newMac()
    const [first, second] = [await usedBy(shared, newMac()), await usedBy(shared)]

    expect(await disconnect(first)).toEqual(['unsupported'])
    expect(await authorized(first.code)).toEqual([shared.replaceAll(':', '')])
    expect(await authorized(second.code)).toHaveLength(1)
    expect(await disconnect(first, second)).toEqual(['all', 'all'])
  })

  test('disconnect: the device of an earlier voucher with the same code stays', async () => {
    const earlier = newMac()
    const before = await usedBy(earlier)
    await simulator.giveCodes([before.code])
    const after = await usedBy(newMac())

    expect(after.code).toBe(before.code)
    expect(await disconnect(after)).toEqual(['all'])
    expect(await authorized(before.code)).toEqual([earlier.replaceAll(':', '')])
    expect(await disconnect(before)).toEqual(['all'])
  })

  test('disconnect: failed if the controller says ok and does nothing', async () => {
    const [stays, goes] = [await usedBy(newMac()), await usedBy(newMac())]
    await simulator.fault('empty', { on: 'unauthorize' })

    expect(await disconnect(stays, goes)).toEqual(['failed', 'all'])
    expect(await disconnect(stays, goes)).toEqual(['all', 'none_online'])
  })

  const ofOneDevice = ['refuse', 'not-found', 'server-error', 'gateway-html', 'html-ok', 'reset', 'truncated', 'huge']
  test.each(ofOneDevice)('disconnect: the command for one device fails (%s), and all others are sent', async (kind) => {
    const stubborn = newMac()
    const [crowded, alone, ...others] = [
      await usedBy(newMac(), stubborn, newMac()),
      await usedBy(stubborn),
      await usedBy(newMac()),
      await usedBy(newMac()),
    ]
    await simulator.fault(kind, { on: 'unauthorize', mac: stubborn, times: 100 })
    const isDone = ['truncated'].includes(kind) // the controller did its work, and only the answer was wrong
    const expected = isDone ? ['all', 'all', 'all', 'all'] : ['failed', 'failed', 'all', 'all']

    expect(await disconnect(crowded, alone, ...others)).toEqual(expected)
    expect(await authorized(crowded.code)).toEqual(isDone ? [] : [stubborn.replaceAll(':', '')])
    await simulator.forget()
    expect(await disconnect(crowded, alone)).toEqual(isDone ? ['none_online', 'none_online'] : ['all', 'all'])
  })

  test('disconnect: a device whose command gets no answer does not take the time of the others', async () => {
    const stubborn = newMac()
    const [first, ...others] = [await usedBy(stubborn), await usedBy(newMac()), await usedBy(newMac())]
    await simulator.fault('hang-before', { on: 'unauthorize', mac: stubborn, times: 100 })
    const asked = [first, ...others].map(({ id, code }) => ({ id, code, createdAt: new Date() }))
    for (let round = 0; round < 2; round++)
      await connection.disconnect('default', round === 0 ? asked : asked.toReversed())

    for (const { code } of others) expect(await authorized(code)).toEqual([])
    expect(await authorized(first.code)).toHaveLength(1)
  })

  test('disconnect: if the controller becomes busy between two commands, the voucher without a command has no result', async () => {
    const [first, second] = [newMac(), newMac()]
    const [tried, untried] = [await usedBy(first), await usedBy(second)]
    await simulator.fault('too-many', { on: 'unauthorize', mac: second, times: 100 })
    const asked = [tried, untried].map(({ id, code }) => ({ id, code, createdAt: new Date() }))

    expect(await connection.disconnect('default', asked)).toEqual(new Map([[tried.id, 'all']]))
    await expect(connection.disconnect('default', asked)).rejects.toMatchObject({ failure: 'busy' })
  })

  const faults = ['forbidden', 'server-error', 'gateway-html', 'html-ok', 'reset', 'truncated', 'huge']
  test.each([...faults.map((kind) => ['guests', kind] as const), ['unauthorize', 'forbidden'] as const])(
    'disconnect, fault on %s, %s: an error without a MAC address; it works afterwards',
    async (on, kind) => {
      const voucher = await usedBy(newMac())
      await simulator.fault(kind, { on })
      const error = await disconnect(voucher).catch((caught) => caught)

      expect(error).toMatchObject({ name: 'ControllerError' })
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(anyMac)
      await disconnect(voucher)
      expect(await authorized(voucher.code)).toEqual([])
    },
  )

  test('disconnect: an unknown site is an error', async () => {
    const asked = [{ id: 'x', code: '0000000000', createdAt: new Date() }]

    await expect(connection.disconnect('nowhere', asked)).rejects.toMatchObject({ failure: 'missing' })
  })
}
