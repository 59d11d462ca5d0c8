import { expect, test } from 'vitest'
import { createAndClaim } from '#test/drivers.ts'
import { timeLimit } from '#test/measuring.ts'
import type { ControllerVoucher, SeenVoucher } from '../driver.ts'
import { type Bench, controllerError, shape } from './setup.suite.ts'

/** Faults during a list. The driver returns the whole list or throws. */
const listFaults = [
  'unauthorized-for-good',
  'forbidden',
  'not-found',
  'too-many',
  'server-error',
  'gateway-html',
  'html-ok',
  'reset',
  'truncated',
  'huge',
  'deep',
]

const soon = () => AbortSignal.timeout(20_000)

export function testListing({ simulator, connection, create, listAll }: Bench): void {
  test('list: all vouchers of the site and none of another site', async () => {
    // They are on a site of their own, because the other tests list their site again and again.
    await create({ name: 'many' }, 1_000, 'many')
    await create({ name: 'more' }, 700, 'many')
    await create({ name: 'rest' }, 600, 'many')
    await createAndClaim(connection, { site: 'branch', shape })
    const ids = (await listAll('many')).map(({ id }) => id)

    expect(new Set(ids).size).toBe(2_300)
    expect(await listAll('branch')).toHaveLength(1)
    expect(await listAll('empty')).toEqual([])
  })

  test('list: a used voucher shows its uses, its first use and its end', async () => {
    const [voucher] = await create()
    await simulator.redeem(voucher?.code as string)
    const used = (await listAll('default')).find(({ id }) => id === voucher?.id)

    expect(used).toMatchObject({ usedCount: 1, firstUsedAt: expect.any(Date), expired: false })
    expect(Number(used?.expiresAt) - Number(used?.firstUsedAt)).toBe(60 * 60_000)
  })

  test.each(listFaults)('list, fault %s: an error, never a part of the list', async (kind) => {
    await create()
    const forGood = kind === 'unauthorized-for-good'
    await simulator.fault(forGood ? 'unauthorized' : kind, { on: 'list', times: forGood ? 20 : 1 })

    await expect(listAll('default')).rejects.toMatchObject({ name: 'ControllerError' })
  })

  test('find by code: the vouchers of the site with this code, used or not, and none if there is none', async () => {
    const [voucher] = (await create({}, 2)) as [ControllerVoucher]
    await simulator.redeem(voucher.code)
    const [seen, ...more] = await connection.findByCode('default', voucher.code, soon())
    const inList = (await listAll('default')).find(({ id }) => id === voucher.id)

    expect([seen, more]).toEqual([inList, []])
    expect(seen?.usedCount).toBe(1)
    expect(await connection.findByCode('branch', voucher.code, soon())).toEqual([])
    expect(await connection.findByCode('default', "0' or '1", soon())).toEqual([])
    await connection.delete('default', [voucher.id as string])
    expect(await connection.findByCode('default', voucher.code, soon())).toEqual([])
  })

  test('find by code: ends at the deadline, and the connection is free again', async () => {
    await create()
    await simulator.fault('hang-before', { on: 'list' })
    const startedAt = Date.now()

    await expect(connection.findByCode('default', '0000000000', AbortSignal.timeout(300))).rejects.toEqual(
      controllerError('timeout', 'unknown'),
    )
    expect(Date.now() - startedAt).toBeLessThan(timeLimit(3_000))
    expect(await connection.findByCode('default', '0000000000', soon())).toEqual([])
  })

  test.each(listFaults)('find by code, fault %s: an error, never an empty answer', async (kind) => {
    const [voucher] = (await create()) as [ControllerVoucher]
    const forGood = kind === 'unauthorized-for-good'
    await simulator.fault(forGood ? 'unauthorized' : kind, { on: 'list', times: forGood ? 20 : 1 })

    await expect(connection.findByCode('default', voucher.code, soon())).rejects.toMatchObject({
      name: 'ControllerError',
    })
  })

  test('list by name: only vouchers with that name, with the time of creation converted to our clock', async () => {
    for (const advanceSeconds of [0, 3_600, -7_200]) {
      await simulator.clock({ advanceSeconds })
      const name = `it's "sought" ${advanceSeconds} \\ ü`
      const [made] = await createAndClaim(connection, { site: 'default', shape: { ...shape, name } })
      await createAndClaim(connection, { site: 'default', shape })
      await createAndClaim(connection, { site: 'branch', shape: { ...shape, name } })
      const found: SeenVoucher[] = []
      for await (const piece of connection.listNamed('default', name)) found.push(...piece)

      expect(found.map(({ code }) => code)).toEqual([made?.code])
      expect(Math.abs(Number(found[0]?.createdAt) - Date.now())).toBeLessThan(60_000)
    }
    await simulator.clock({ advanceSeconds: 3_600 })
  })
}
