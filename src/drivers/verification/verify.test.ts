import { beforeEach, describe, expect, test } from 'vitest'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { directAccess } from '#test/drivers.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type { ControllerConnection } from '../driver.ts'
import { drivers } from '../registry.ts'
import { verify } from './verify.ts'

const shape = {
  name: 'voucher-service verify',
  maxUses: 1,
  expireMinutes: 1,
  downKbps: 2_000,
  upKbps: 1_000,
  quotaMb: 5,
}
const stepNames = ['probe', 'version', 'list', 'create', 'find', 'delete', 'gone']

const options = ['--https', '--login-limit', '0', '--site', 'default=Default', '--site', 'many=Many']
const console = await startSimulator(...options)
const selfHosted = await startSimulator(...options, '--flavour', 'self-hosted')

describe.each([
  ['a console with an API key', console, 'unifi-integration', { apiKey: console.apiKey }],
  ['a console with a login', console, 'unifi-classic', console.login],
  ['a self-hosted application', selfHosted, 'unifi-classic', selfHosted.login],
])('%s', (_, simulator, driver, credentials) => {
  beforeEach(() => simulator.forget())

  function connect(): ControllerConnection {
    const certificatePin = parseFingerprint(simulator.fingerprint as string) as Buffer
    const access = { address: simulator.url, credentials, certificatePin, ...directAccess() }
    const connection = drivers[driver]?.connect(access) as ControllerConnection
    onFileEnd(() => connection.close())
    return connection
  }

  const run = (connection = connect(), site = 'default') => verify(connection, { site, shape })
  /** Runs the verification. `left` is the number of our vouchers that it left on the controller. */
  async function runAndLook(connection = connect()) {
    const ours = async () =>
      (await simulator.vouchers()).filter(({ createdBy, deleted }) => createdBy === 'api' && !deleted)
    const before = (await ours()).length
    const verification = await run(connection)
    const results = verification.steps.map(({ result }) => result)
    return { ...verification, results, left: (await ours()).length - before }
  }

  const value = (of: Awaited<ReturnType<typeof run>>, wanted: string) =>
    of.observations.find(({ observation }) => observation === wanted)?.value

  /** A connection whose controller has the fault only after the voucher was made. */
  function faultAfterCreation(kind: string, on: string): ControllerConnection {
    const connection = connect()
    return {
      ...connection,
      async *create(...asked) {
        for await (const candidates of connection.create(...asked)) {
          await simulator.fault(kind, { on })
          yield candidates
        }
      },
    }
  }

  test('every step succeeds, the voucher has the limits that were sent, and none is left', async () => {
    const before = (await simulator.vouchers()).length
    const verification = await runAndLook()

    expect(verification).toMatchObject({ controllerVersion: '10.3.55', leftBehind: false, left: 0 })
    expect(verification.steps.map(({ step, result, detail }) => [step, result, detail])).toEqual(
      stepNames.map((step) => [step, 'ok', '']),
    )
    for (const limit of ['name', 'uses', 'minutes', 'download', 'upload', 'data'])
      expect([limit, value(verification, `${limit} as sent`)]).toEqual([limit, true])
    expect(value(verification, 'unused, without first use and end')).toBe(true)
    expect((await simulator.vouchers()).length).toBe(before + 1)
  })

  test('the requests are counted, including the sign-in', async () => {
    const { steps } = await run()
    const counted = steps.reduce((sum, step) => sum + (step.calls ?? 0), 0)

    expect(counted).toBe((await simulator.requests()).length)
    expect(counted).toBeGreaterThanOrEqual(7)
  })

  test('more vouchers than a page: the report counts them', async () => {
    for (let i = 0; i < 2; i++) {
      await simulator.addVoucher({ internalReference: 'many', name: 'Gast', timeLimitMinutes: 60, count: 600 })
      await simulator.clock({ advanceSeconds: 2 })
    }
    const verification = await run(connect(), 'many')

    expect(value(verification, 'vouchers in the list')).toBeGreaterThan(1_200)
    expect(value(verification, 'order of the list')).toBe(driver === 'unifi-integration' ? 'oldest first' : 'none')
    expect(verification.leftBehind).toBe(false)
  })

  test.each([
    [null, 'the user name'],
    ['API', 'the user name in another case'],
    ['Geheime Verwalterin', 'another name'],
  ])('vouchers that show the administrator as %s: every step succeeds, and the report says: %s', async (...names) => {
    const [adminName, shownName] = names
    await simulator.clock({ advanceSeconds: 2 })
    await simulator.behave({ adminName })
    const verification = await runAndLook()

    expect(verification.results).toEqual(stepNames.map(() => 'ok'))
    expect(value(verification, 'name of the administrator in it')).toBe(
      driver === 'unifi-classic' ? shownName : undefined,
    )
    expect([JSON.stringify(verification).includes('Geheime'), verification.left]).toEqual([false, 0])
  })

  test('a creation that is rejected: nothing to find, nothing left', async () => {
    await simulator.fault('refuse')
    const { steps, results, leftBehind, left } = await runAndLook()

    expect(results).toEqual(['ok', 'ok', 'ok', 'failed', 'not tried', 'not tried', 'not tried'])
    expect(steps[3]?.detail).toBe('rejected, refused, status 400')
    expect([leftBehind, left]).toEqual([false, 0])
  })

  test.each(['created-then-reset', 'created-then-error', 'truncated', 'no-code'])(
    'a creation that ends in %s: the new voucher is found by its name or limits and deleted',
    async (kind) => {
      await simulator.fault(kind)
      const { results, leftBehind, left } = await runAndLook()

      expect(results).toEqual(['ok', 'ok', 'ok', 'failed', 'ok', 'ok', 'ok'])
      expect([leftBehind, left]).toEqual([false, 0])
    },
  )

  test('an earlier voucher with the same name is not deleted', async () => {
    const alike = async () => (await simulator.vouchers()).filter(({ createdBy }) => createdBy === 'elsewhere').at(-1)
    await simulator.addVoucher({ internalReference: 'default', name: shape.name, timeLimitMinutes: 1 })
    await simulator.fault('created-then-reset')
    const { leftBehind, left } = await runAndLook()

    expect([leftBehind, left]).toEqual([false, 0])
    expect(await alike()).toMatchObject({ name: shape.name, deleted: false })
  })

  test('a creation whose outcome stays unknown: the report says that a voucher may be left', async () => {
    await simulator.fault('reset')
    const { results, leftBehind } = await runAndLook()

    expect(results).toEqual(['ok', 'ok', 'ok', 'failed', 'ok', 'not tried', 'ok'])
    expect(leftBehind).toBe(true)
  })

  test('a list that fails after the creation: the voucher is deleted anyway', async () => {
    const { results, leftBehind, left } = await runAndLook(faultAfterCreation('server-error', 'list'))

    expect(results).toEqual(['ok', 'ok', 'ok', 'ok', 'failed', 'ok', 'ok'])
    expect([leftBehind, left]).toEqual([false, 0])
  })

  test('a deletion that fails: the report says so, and that a voucher is left', async () => {
    const { steps, results, leftBehind, left } = await runAndLook(faultAfterCreation('forbidden', 'delete'))

    expect(results).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'failed', 'failed'])
    expect(steps.slice(-2).map(({ detail }) => detail)).toEqual([
      'forbidden, refused, status 403',
      'it is still in the list',
    ])
    expect([leftBehind, left]).toEqual([true, 1])
  })

  test('an unknown site: nothing is made, and the report does not name it', async () => {
    const verification = await run(connect(), 'geheimer-ort')

    expect(verification.steps.map(({ result }) => result)).toEqual(['failed', ...Array(6).fill('not tried')])
    expect(JSON.stringify(verification)).not.toContain('geheimer-ort')
    expect(await simulator.creates()).toBe(0)
  })
})

test('a controller that shows no names: the voucher is found by its limits, and the report says so', async () => {
  await selfHosted.forget()
  await selfHosted.behave({ nullNotes: true })
  await selfHosted.clock({ advanceSeconds: 2 })
  const certificatePin = parseFingerprint(selfHosted.fingerprint as string) as Buffer
  const connection = drivers['unifi-classic']?.connect({
    address: selfHosted.url,
    credentials: selfHosted.login,
    certificatePin,
    ...directAccess(),
  }) as ControllerConnection
  onFileEnd(() => connection.close())
  const { observations, leftBehind } = await verify(connection, { site: 'default', shape })

  expect(observations).toContainEqual({ observation: 'name as sent', value: false })
  expect(observations).toContainEqual({ observation: 'download as sent', value: true })
  expect(leftBehind).toBe(false)
})
