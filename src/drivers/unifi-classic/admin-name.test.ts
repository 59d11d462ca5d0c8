import { beforeEach, describe, expect, test } from 'vitest'
import { createAndClaim, directAccess, memorySession } from '#test/drivers.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type { ControllerConnection } from '../driver.ts'
import { unifiClassic } from './driver.ts'

const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const asked = { site: 'default', shape }

describe.each(['console', 'self-hosted'])('%s', async (flavour) => {
  const simulator = await startSimulator('--flavour', flavour, '--login-limit', '0')
  beforeEach(async () => {
    await simulator.forget()
    await simulator.clock({ advanceSeconds: 2, frozen: true }) // every test has a second of its own
  })

  function connect(session = memorySession()): ControllerConnection {
    const { url: address, login: credentials } = simulator
    const access = { address, credentials, certificatePin: null, ...directAccess(), session }
    const connection = unifiClassic.connect(access)
    onFileEnd(() => connection.close())
    return connection
  }

  const nextSecond = () => simulator.clock({ advanceSeconds: 1 })

  /** A voucher of another administrator with the same name and limits. */
  const addEqual = (adminName: string) =>
    simulator.addVoucher({
      internalReference: 'default',
      name: shape.name,
      timeLimitMinutes: 60,
      authorizedGuestLimit: 1,
      adminName,
    })

  async function listOurs(connection: ControllerConnection): Promise<Map<string | null, boolean | null>> {
    const ours = new Map<string | null, boolean | null>()
    for await (const piece of connection.listNamed('default', shape.name))
      for (const { code, isOurs } of piece) ours.set(code, isOurs)
    return ours
  }

  const lastCode = async () => (await simulator.vouchers()).at(-1)?.code as string

  test.each(['Front desk', 'API'])(
    'vouchers with the administrator name %s are found by the first lookup',
    async (adminName) => {
      await simulator.behave({ adminName })
      const connection = connect()
      const [made] = await createAndClaim(connection, asked)
      const looks = (await simulator.requests()).filter(({ path }) => path.endsWith('/stat/voucher'))

      expect(made?.code).toBe(await lastCode())
      expect(looks).toHaveLength(1)
      expect((await listOurs(connection)).get(made?.code as string)).toBe(adminName === 'API' ? true : null)
    },
  )

  test('once a creation has shown our name, vouchers with other names are not ours, even with our user name', async () => {
    await simulator.behave({ adminName: 'Front desk' })
    const connection = connect()
    await createAndClaim(connection, asked)
    const others: string[] = []
    for (const adminName of ['other-admin', simulator.login.username]) {
      await addEqual(adminName)
      others.push(await lastCode())
    }
    const [next] = await createAndClaim(
      connection,
      asked,
      new Set([...(await listOurs(connection)).keys()].map(String)),
    )
    const ours = await listOurs(connection)

    expect(next?.code).toBe(await lastCode())
    expect(others.map((code) => ours.get(code))).toEqual([false, false])
  })

  test('until our name is known, only the user name, in any letter case, is ours, and other names prove nothing', async () => {
    await addEqual('other-admin')
    const another = await lastCode()
    await addEqual(simulator.login.username.toUpperCase())
    const ours = await listOurs(connect())

    expect([ours.get(another), ours.get(await lastCode())]).toEqual([null, true])
  })

  test('our name is not learned from a second in which another administrator made the same voucher', async () => {
    await simulator.behave({ adminName: 'Front desk' })
    await addEqual('other-admin')
    const another = await lastCode()
    const connection = connect()
    await createAndClaim(connection, asked)
    const before = await listOurs(connection)
    const made = await lastCode()
    await nextSecond()
    await createAndClaim(connection, asked)
    const after = await listOurs(connection)

    expect([before.get(another), before.get(made)]).toEqual([null, null])
    expect([after.get(another), after.get(made)]).toEqual([false, null])
  })

  test('other processes get our name from the session, even if they signed in before, and after a new sign-in', async () => {
    await simulator.behave({ adminName: 'Front desk' })
    const session = memorySession()
    const [one, two] = [connect(session), connect(session)]
    for (const each of [one, two]) await each.probe('default')
    await createAndClaim(one, asked)
    await addEqual('other-admin')
    const code = await lastCode()
    const known = (await listOurs(two)).get(code)
    await simulator.behave({ expireSessions: true })
    await two.probe('default')

    expect([known, (await listOurs(connect(session))).get(code)]).toEqual([false, false])
    expect(await simulator.signIns()).toHaveLength(2)
  })

  test('after an administrator is renamed, one voucher is found late, then the new name is learned', async () => {
    const connection = connect()
    const [before] = await createAndClaim(connection, asked)
    await simulator.behave({ adminName: 'Front desk' })
    await nextSecond()
    const [first] = await createAndClaim(connection, asked)
    const inDoubt = (await listOurs(connection)).get(first?.code as string)
    await nextSecond()
    const [second] = await createAndClaim(connection, asked)
    const ours = await listOurs(connection)

    expect(inDoubt).toBe(null)
    expect([before, first, second].map((voucher) => ours.get(voucher?.code as string))).toEqual([false, null, null])
  })
})
