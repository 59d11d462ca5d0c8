import { expect, test } from 'vitest'
import { createAndClaim } from '#test/drivers.ts'
import { timeLimit } from '#test/measuring.ts'
import { type Bench, controllerError, type ExpectedResult, shape } from './setup.suite.ts'

/** The result of a creation during each fault, for every driver. */
const commonCreateFaults: Record<string, ExpectedResult> = {
  refuse: ['rejected', 'refused'],
  unauthorized: ['sign_in', 'refused'],
  forbidden: ['forbidden', 'refused'],
  'not-found': ['missing', 'refused'],
  'too-many': ['busy', 'refused'],
  'server-error': ['failed', 'unknown'],
  'gateway-html': ['failed', 'unknown'],
  'html-ok': ['no_voucher', 'unknown'],
  reset: ['failed', 'unknown'],
  'created-then-reset': ['failed', 'unknown'],
  'created-then-error': ['failed', 'unknown'],
  truncated: ['no_voucher', 'unknown'],
  huge: ['no_voucher', 'unknown'],
  deep: ['no_voucher', 'unknown'],
  empty: ['no_voucher', 'unknown'],
  'no-code': ['no_voucher', 'unknown'],
  'bad-code': ['no_voucher', 'unknown'],
  'extra-fields': 'made',
  slow: 'made',
}

export function testCreating(bench: Bench): void {
  const { simulator, connection, connect, create } = bench

  test('create: the voucher has the code and limits of the one on the controller', async () => {
    const limits = { downKbps: 2_000, upKbps: 1_000, quotaMb: 5 }
    const [voucher] = await create(limits)
    const onController = (await simulator.vouchers()).find(({ code }) => code === voucher?.code)

    expect(voucher).toMatchObject({
      id: expect.any(String),
      code: expect.stringMatching(/^\d{10}$/),
      formattedCode: `${voucher?.code.slice(0, 5)}-${voucher?.code.slice(5)}`,
      shape: { ...shape, ...limits },
      usedCount: 0,
      createdAt: expect.any(Date),
      firstUsedAt: null,
      expiresAt: null,
      expired: false,
    })
    expect(onController).toMatchObject({
      name: shape.name,
      timeLimitMinutes: 60,
      authorizedGuestLimit: 2,
      rxRateLimitKbps: 2_000,
      txRateLimitKbps: 1_000,
      dataUsageLimitMBytes: 5,
    })
  })

  test('create: names with special characters arrive unchanged', async () => {
    for (const odd of ["O'Brien & Söhne", '"quoted" \\ back', '日本語 🎉', '<b>x</b>', '%00 %2F ../..']) {
      const [voucher] = await create({ name: odd })
      const onController = (await simulator.vouchers()).find(({ code }) => code === voucher?.code)
      expect([voucher?.shape.name, onController?.name]).toEqual([odd, odd])
    }
  })

  test('create: unlimited uses', async () => {
    const [voucher] = await create({ maxUses: 0 })

    expect(voucher?.shape.maxUses).toBe(0)
  })

  test('create: a batch takes one request', async () => {
    const vouchers = await create({ name: 'batch' }, 50)

    expect(new Set(vouchers.map(({ code }) => code)).size).toBe(50)
    expect(await simulator.creates()).toBe(1)
  })

  test('create: another administrator makes equal vouchers at the same time: each code is ours and given once', async () => {
    const held = new Set<string>()
    const others = Array.from({ length: 10 }, () =>
      simulator.addVoucher({
        internalReference: 'default',
        name: shape.name,
        timeLimitMinutes: 60,
        authorizedGuestLimit: 2,
      }),
    )
    const made = await Promise.all(
      Array.from({ length: 20 }, () => createAndClaim(connection, { site: 'default', shape }, held)),
    )
    await Promise.all(others)
    const codes = made.flat().map(({ code }) => code)
    const byUs = (await simulator.vouchers()).filter(({ createdBy }) => createdBy === 'api').map(({ code }) => code)

    expect(new Set(codes).size).toBe(20)
    expect(codes.filter((code) => !byUs.includes(code))).toEqual([])
  })

  test('create: equal vouchers while our account is shown by another name: each code is ours and given once', async () => {
    await simulator.behave({ adminName: 'Front desk' })
    await simulator.clock({ advanceSeconds: 2 }) // a different second than the earlier vouchers
    const [fresh, held] = [connect(), new Set<string>()]
    const first = await createAndClaim(fresh, { site: 'default', shape }, held)
    const equal = { name: shape.name, timeLimitMinutes: 60, authorizedGuestLimit: 2, count: 5 }
    const others = simulator.addVoucher({ internalReference: 'default', ...equal })
    const more = Array.from({ length: 10 }, () => createAndClaim(fresh, { site: 'default', shape }, held))
    const codes = [...first, ...(await Promise.all(more)).flat()].map(({ code }) => code)
    await others
    const byUs = (await simulator.vouchers()).filter(({ createdBy }) => createdBy === 'api').map(({ code }) => code)

    expect(new Set(codes).size).toBe(11)
    expect(codes.filter((code) => !byUs.includes(code))).toEqual([])
  })

  test.each(Object.entries({ ...commonCreateFaults, ...bench.createFaults }))(
    'create, fault %s: %s',
    async (kind, expected) => {
      await connection.probe('default')
      await simulator.fault(kind, kind === 'slow' ? { delayMs: 300 } : {})
      const attempt = create()

      if (expected === 'made') expect(await attempt).toHaveLength(1)
      else if (expected === 'nothing found') expect(await attempt).toEqual([])
      else await expect(attempt).rejects.toEqual(controllerError(...expected))
    },
  )

  test('create, a controller that hangs: a time-out within 8 s, outcome unknown', async () => {
    await connection.probe('default')
    await simulator.fault('hang-after')
    const startedAt = Date.now()

    await expect(create()).rejects.toEqual(controllerError('timeout', 'unknown'))
    expect(Date.now() - startedAt).toBeLessThan(timeLimit(8_500))
  })
}
