import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { createAndClaim } from '#test/claim.ts'
import { directAccess } from '#test/direct-access.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { freePort } from '#test/private-redis.ts'
import type { Simulator } from '#test/simulator.ts'
import { timeLimit } from '#test/size.ts'
import type { ControllerAccess, ControllerConnection, Credentials, Driver, SeenVoucher } from './driver.ts'

/** What a simulated controller must let the suite do; `test/simulator.ts` does it for UniFi. */
type SuiteSimulator = Pick<
  Simulator,
  | 'url'
  | 'fingerprint'
  | 'requests'
  | 'vouchers'
  | 'creates'
  | 'forget'
  | 'redeem'
  | 'addVoucher'
  | 'clock'
  | 'behave'
  | 'fault'
>

/** A driver and the simulated controller that it must get along with. */
type Subject = {
  driver: Driver
  /** With a self-signed certificate, which the driver is given as pin, and the sites default, branch and empty. */
  simulator: SuiteSimulator
  credentials: Credentials
  wrongCredentials: Credentials
  version: string
  /** What is another creation's outcome on this dialect; `made` where the voucher is made in the end. */
  createFaults?: Record<string, Expected>
}

type Expected = [failure: string, outcome: string] | 'made' | 'nothing found'

/** What every dialect must make of a fault of its controller while a voucher is created. */
const commonCreateFaults: Record<string, Expected> = {
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

/** Whatever the list is answered with, it is complete or an error. */
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

const shape = { name: '2026-11-14_Gast', maxUses: 2, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** What the service relies on in every driver. A new driver passes this before it is offered to anybody. */
export function driverSuite(name: string, subject: Subject): void {
  const { simulator } = subject
  const connection = connect()

  function connect(change: Partial<ControllerAccess> = {}): ControllerConnection {
    const made = subject.driver.connect({
      address: simulator.url,
      credentials: subject.credentials,
      certificatePin: parseFingerprint(simulator.fingerprint as string) as Buffer,
      ...directAccess(),
      ...change,
    })
    onFileEnd(() => made.close())
    return made
  }

  async function create(change: Partial<typeof shape> = {}, count = 1) {
    return createAndClaim(connection, { site: 'default', shape: { ...shape, ...change }, count })
  }

  async function listAll(site: string, from = connection): Promise<SeenVoucher[]> {
    const all: SeenVoucher[] = []
    for await (const piece of from.list(site)) all.push(...piece)
    return all
  }

  const failing = (failure: string, outcome: string) =>
    expect.objectContaining({ name: 'ControllerError', failure, outcome })

  describe(name, () => {
    beforeEach(() => simulator.forget())

    test('create: the voucher is the one on the controller, in all its limits', async () => {
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

    test('create: names that a controller could stumble over arrive as they are', async () => {
      for (const odd of ["O'Brien & Söhne", '"quoted" \\ back', '日本語 🎉', '<b>x</b>', '%00 %2F ../..']) {
        const [voucher] = await create({ name: odd })
        const onController = (await simulator.vouchers()).find(({ code }) => code === voucher?.code)
        expect([voucher?.shape.name, onController?.name]).toEqual([odd, odd])
      }
    })

    test('create: any number of uses', async () => {
      const [voucher] = await create({ maxUses: 0 })

      expect(voucher?.shape.maxUses).toBe(0)
    })

    test('create: a batch by one request', async () => {
      const vouchers = await create({ name: 'batch' }, 50)

      expect(new Set(vouchers.map(({ code }) => code)).size).toBe(50)
      expect(await simulator.creates()).toBe(1)
    })

    test('create: same-named ones in the same moment, another administrator in between', async () => {
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

    test('create: the same when the controller shows a different name for our account than its user name', async () => {
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

    test.each(Object.entries({ ...commonCreateFaults, ...subject.createFaults }))(
      'create, fault %s: %s',
      async (kind, expected) => {
        await connection.probe('default')
        await simulator.fault(kind, kind === 'slow' ? { delayMs: 300 } : {})
        const attempt = create()

        if (expected === 'made') expect(await attempt).toHaveLength(1)
        else if (expected === 'nothing found') expect(await attempt).toEqual([])
        else await expect(attempt).rejects.toEqual(failing(...expected))
      },
    )

    test('create, a controller that hangs: given up within 8 s, outcome unknown', { timeout: 15_000 }, async () => {
      await connection.probe('default')
      await simulator.fault('hang-after')
      const startedAt = Date.now()

      await expect(create()).rejects.toEqual(failing('timeout', 'unknown'))
      expect(Date.now() - startedAt).toBeLessThan(timeLimit(8_500))
    })

    test('list: everything on the site and nothing of another', async () => {
      const before = (await listAll('default')).length
      await create({ name: 'many' }, 1_000)
      await create({ name: 'more' }, 700)
      await create({ name: 'rest' }, 600)
      await createAndClaim(connection, { site: 'branch', shape })
      const ids = (await listAll('default')).map(({ id }) => id)

      expect(new Set(ids).size).toBe(before + 2_300)
      expect(await listAll('branch')).toHaveLength(1)
      expect(await listAll('empty')).toEqual([])
    })

    test('list: uses, first use and end, once a voucher is used', async () => {
      const [voucher] = await create()
      await simulator.redeem(voucher?.code as string)
      const used = (await listAll('default')).find(({ id }) => id === voucher?.id)

      expect(used).toMatchObject({ usedCount: 1, firstUsedAt: expect.any(Date), expired: false })
      expect(Number(used?.expiresAt) - Number(used?.firstUsedAt)).toBe(60 * 60_000)
    })

    test.each(listFaults)('list, fault %s: an error, never a part', async (kind) => {
      await create()
      const forGood = kind === 'unauthorized-for-good'
      await simulator.fault(forGood ? 'unauthorized' : kind, { on: 'list', times: forGood ? 20 : 1 })

      await expect(listAll('default')).rejects.toMatchObject({ name: 'ControllerError' })
    })

    test('list by name: those of that name, with the time of creation by our clock whatever the controller says', async () => {
      for (const advanceSeconds of [0, 3_600, -7_200]) {
        await simulator.clock({ advanceSeconds })
        const name = `it's "sought" ${advanceSeconds} \\ ü`
        const [made] = await createAndClaim(connection, { site: 'default', shape: { ...shape, name } })
        await createAndClaim(connection, { site: 'default', shape })
        await createAndClaim(connection, { site: 'branch', shape: { ...shape, name } })
        const found: SeenVoucher[] = []
        for await (const piece of connection.listNamed('default', name)) found.push(...piece)

        expect(found.map(({ code }) => code)).toEqual([made?.code])
        expect(Math.abs(Number(found[0]?.createdAt) - Date.now())).toBeLessThan(5_000)
      }
      await simulator.clock({ advanceSeconds: 3_600 })
    })

    test('delete: those named and no others; deleting again is no error', async () => {
      const made = await create({ name: 'to delete' }, 60)
      const [kept, ...doomed] = made.map(({ id }) => id as string)
      await connection.delete('default', doomed)
      await connection.delete('default', doomed)
      const left = (await listAll('default')).map(({ id }) => id)

      expect(left).toContain(kept)
      expect(doomed.filter((id) => left.includes(id))).toEqual([])
    })

    test.each([200, 204])('delete: an answer with status %d and no body is a success', async (emptyDeletes) => {
      const [voucher] = await create()
      await simulator.behave({ emptyDeletes })
      await connection.delete('default', [voucher?.id as string])

      expect((await simulator.vouchers()).find(({ code }) => code === voucher?.code)).toMatchObject({ deleted: true })
    })

    test.each(['empty', 'server-error', 'reset', 'gateway-html', 'forbidden'])(
      'delete, fault %s: an error',
      async (kind) => {
        const [voucher] = await create()
        await simulator.fault(kind, { on: 'delete' })

        await expect(connection.delete('default', [voucher?.id as string])).rejects.toMatchObject({
          name: 'ControllerError',
        })
      },
    )

    test('probe and version', async () => {
      await connection.probe('default')

      expect(await connection.version('default')).toBe(subject.version)
    })

    test('nobody there, a name that does not resolve, wrong credentials, an unknown site: nothing was made', async () => {
      const attempt = (made: ControllerConnection, site = 'default') => createAndClaim(made, { site, shape })
      const nobody = connect({ address: `https://127.0.0.1:${await freePort()}` })
      const unresolved = connect({ address: 'https://controller.invalid' })
      const wrong = connect({ credentials: subject.wrongCredentials })

      await expect(attempt(nobody)).rejects.toEqual(failing('unreachable', 'refused'))
      await expect(attempt(unresolved)).rejects.toEqual(failing('unreachable', 'refused'))
      await expect(attempt(wrong)).rejects.toEqual(failing('sign_in', 'refused'))
      await expect(attempt(connection, 'nowhere')).rejects.toEqual(failing('missing', 'refused'))
      await expect(connection.probe('nowhere')).rejects.toEqual(failing('missing', 'refused'))
      await expect(listAll('nowhere')).rejects.toMatchObject({ failure: 'missing' })
    })

    test('a certificate that is not the pinned one, and one that nobody pinned: nothing is sent', async () => {
      await expect(listAll('default', connect({ certificatePin: Buffer.alloc(32) }))).rejects.toMatchObject({
        failure: 'unreachable',
      })
      await expect(listAll('default', connect({ certificatePin: null }))).rejects.toMatchObject({
        failure: 'unreachable',
      })
      expect(await simulator.requests()).toEqual([])
    })

    test.each([301, 302, 307, 308])(
      'an http:// address that redirects to https with %d: an error says so, and nothing is made',
      async (status) => {
        const { origin, pathname } = new URL(simulator.url)
        const server = createServer((request, response) =>
          response.writeHead(status, { location: `${origin}${request.url}` }).end(),
        ).listen(0, '127.0.0.1')
        onFileEnd(() => server.close())
        await once(server, 'listening')
        const { port } = server.address() as AddressInfo
        const insecure = connect({ address: `http://127.0.0.1:${port}${pathname}`, certificatePin: null })

        await expect(createAndClaim(insecure, { site: 'default', shape })).rejects.toEqual(
          failing('insecure', 'refused'),
        )
        await expect(insecure.probe('default')).rejects.toThrow('Use its https:// address')
        expect(await simulator.requests()).toEqual([])
      },
    )

    test('while the controller boots: refused, and it works afterwards', async () => {
      const fresh = connect()
      await simulator.behave({ booting: true })
      await expect(createAndClaim(fresh, { site: 'default', shape })).rejects.toMatchObject({ outcome: 'refused' })
      await simulator.behave({ booting: false })

      expect(await createAndClaim(fresh, { site: 'default', shape })).toHaveLength(1)
    })

    test('an error says nothing of the reply and the credentials', async () => {
      const secrets = Object.values(subject.credentials)
      for (const kind of ['gateway-html', 'html-ok', 'forbidden', 'refuse', 'truncated']) {
        await simulator.fault(kind)
        const error = await create().catch((caught) => caught)
        const told = `${error.message} ${error.stack} ${error.cause}`

        expect(told).not.toMatch(/<html|<!doctype|x-api-key|api\.err|cookie/i)
        for (const secret of secrets) if (secret.length > 3) expect(told).not.toContain(secret)
      }
    })
  })
}
