import { beforeEach, expect, test, vi } from 'vitest'
import { ControllerError } from '#drivers/driver.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedController } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { createSharedSession } from './shared-session.ts'

const db = await createTestDatabase()
let controllerId: string
beforeEach(async () => {
  controllerId = await seedController(db)
})

const forProcess = (madeFor = 'address and password') => createSharedSession(db, testKeyring, controllerId, madeFor)

/** Counts how often somebody signed in. */
function signIns(answer: () => Promise<string> = async () => `tokens ${Math.random()}`) {
  const count = { times: 0 }
  return Object.assign(
    () => {
      count.times += 1
      return answer()
    },
    { count },
  )
}

test('20 callers in 4 processes: one signs in, all get the same session', async () => {
  const processes = [forProcess(), forProcess(), forProcess(), forProcess()]
  const signIn = signIns()
  const sessions = await Promise.all(
    processes.flatMap((one) => Array.from({ length: 5 }, () => one.renew(null, signIn))),
  )

  expect(signIn.count.times).toBe(1)
  expect(new Set(sessions.map(({ id, tokens }) => `${id} ${tokens}`)).size).toBe(1)
  expect(await forProcess().find()).toEqual(sessions[0])
})

test('tokens that another process noted are taken over without a sign-in', async () => {
  const [one, two] = [forProcess(), forProcess()]
  const signIn = signIns()
  const first = await one.renew(null, signIn)
  await one.rotate({ ...first, tokens: 'newer' })

  expect(await two.renew(first, signIn)).toEqual({ ...first, tokens: 'newer' })
  expect(signIn.count.times).toBe(1)
})

test('tokens of an earlier sign-in do not replace those of a later one', async () => {
  const one = forProcess()
  const first = await one.renew(null, signIns())
  const second = await one.renew(first, signIns())
  await one.rotate({ ...first, tokens: 'late' })

  expect(await one.find()).toEqual(second)
})

test('sessions that are renewed again and again cause only four sign-ins in a minute, over all processes', async () => {
  const processes = [forProcess(), forProcess()]
  const signIn = signIns()
  const refusals: unknown[] = []
  for (let i = 0; i < 20; i++) {
    const one = processes[i % 2] as ReturnType<typeof forProcess>
    await one
      .find()
      .then((stale) => one.renew(stale, signIn))
      .catch((error) => refusals.push(error))
  }

  expect(signIn.count.times).toBe(4)
  expect(refusals).toHaveLength(16)
  expect(refusals[0]).toMatchObject({ failure: 'busy', outcome: 'refused' })
})

test.each(['busy', 'sign_in'] as const)(
  'after a sign-in that failed with %s, no process tries again for a while',
  async (failure) => {
    const signIn = signIns(() => Promise.reject(new ControllerError(failure, 'refused', 'no')))
    for (const one of [forProcess(), forProcess(), forProcess()])
      await expect(one.renew(null, signIn)).rejects.toMatchObject({ failure, outcome: 'refused' })

    expect(signIn.count.times).toBe(1)
  },
)

test('after a sign-in that got no answer the next one is tried at once', async () => {
  const broken = signIns(() => Promise.reject(new ControllerError('timeout', 'refused', 'no answer')))
  await expect(forProcess().renew(null, broken)).rejects.toMatchObject({ failure: 'timeout' })

  expect(await forProcess().renew(null, async () => 'tokens')).toMatchObject({ tokens: 'tokens' })
})

test('a sign-in that never reached the controller is not counted', async () => {
  const absent = signIns(() => Promise.reject(new ControllerError('unreachable', 'refused', 'nobody there')))
  for (let i = 0; i < 10; i++)
    await expect(forProcess().renew(null, absent)).rejects.toMatchObject({ failure: 'unreachable' })

  expect(absent.count.times).toBe(10)
  expect(await forProcess().renew(null, async () => 'tokens')).toMatchObject({ tokens: 'tokens' })
})

test('a caller that lost its lease changes nothing', async () => {
  const { promise: late, reject } = Promise.withResolvers<string>()
  const slow = forProcess().renew(null, () => late)
  slow.catch(() => {})
  await vi.waitFor(
    async () => {
      const { rows } = await db.query('select 1 from controllers where id = $1 and signing_in_until is not null', [
        controllerId,
      ])
      expect(rows).toHaveLength(1)
    },
    { timeout: 20_000 },
  )
  await db.query(`update controllers set signing_in_until = now() - interval '1 second' where id = $1`, [controllerId])
  const session = await forProcess().renew(null, async () => 'tokens of another')
  reject(new ControllerError('sign_in', 'refused', 'late'))
  await slow.catch(() => {})

  expect(await forProcess().find()).toEqual(session)
  expect(await forProcess().renew(session, async () => 'next')).toMatchObject({ tokens: 'next' })
})

test('callers wait for a process that died during its sign-in, but not forever', async () => {
  await db.query(`update controllers set signing_in_until = now() + interval '0.5 seconds' where id = $1`, [
    controllerId,
  ])

  expect(await forProcess().renew(null, async () => 'tokens')).toMatchObject({ tokens: 'tokens' })
})

test('a session made with another address or password is not found', async () => {
  await forProcess('old address').renew(null, async () => 'secret tokens')

  expect(await forProcess('new address').find()).toBeNull()
  expect(await forProcess('new address').renew(null, async () => 'new tokens')).toMatchObject({ tokens: 'new tokens' })
})

test('tokens are stored encrypted', async () => {
  await forProcess().renew(null, async () => 'secret tokens')
  const { rows } = await db.query(`select * from controllers where id = $1`, [controllerId])

  expect(JSON.stringify(rows)).not.toContain('secret tokens')
})
