import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ControllerConnection, ControllerError, type Failure, type Outcome } from '#drivers/driver.ts'
import { guardConnection, restMs } from './guard-connection.ts'

const shape = { name: 'x', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** A connection whose next answers the test decides. */
function scripted() {
  const calls = { create: 0, probe: 0, list: 0 }
  const state: { error: ControllerError | undefined } = { error: undefined }
  const answer = async (call: keyof typeof calls) => {
    calls[call] += 1
    if (state.error) throw state.error
  }
  const connection = {
    async *create() {
      await answer('create')
      yield []
    },
    async *list() {
      await answer('list')
      yield []
    },
    probe: () => answer('probe'),
  } as unknown as ControllerConnection
  return { calls, state, guarded: guardConnection(connection) }
}

async function create(guarded: ControllerConnection): Promise<string> {
  try {
    for await (const _ of guarded.create('default', shape, 1)) return 'made'
    return 'nothing'
  } catch (error) {
    const { failure, outcome } = error as ControllerError
    return `${failure} ${outcome}`
  }
}

const failing = (failure: Failure, outcome: Outcome) => new ControllerError(failure, outcome, 'planted')

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test.each([
  ['timeout', 'unknown'],
  ['failed', 'unknown'],
  ['unreachable', 'refused'],
] as const)(
  'after a failure (%s %s) a read comes before the next creation; after five, the controller gets no more calls',
  async (failure, outcome) => {
    const { calls, state, guarded } = scripted()
    state.error = failing(failure, outcome)
    expect(await create(guarded)).toBe(`${failure} ${outcome}`)
    for (let i = 0; i < 4; i++) expect(await create(guarded)).toBe(`${failure} refused`)
    for (let i = 0; i < 5; i++) expect(await create(guarded)).toBe('unreachable refused')

    expect(calls).toEqual({ create: 1, probe: 4, list: 0 })
  },
)

test('a creation follows the read as soon as the controller answers it', async () => {
  const { calls, state, guarded } = scripted()
  state.error = failing('failed', 'unknown')
  await create(guarded)
  state.error = undefined
  expect([await create(guarded), await create(guarded)]).toEqual(['made', 'made'])

  expect(calls).toEqual({ create: 3, probe: 1, list: 0 })
})

test('a read that is rejected shows that the controller answers, so the next creation is sent without one', async () => {
  const { calls, state, guarded } = scripted()
  state.error = failing('failed', 'unknown')
  await create(guarded)
  state.error = failing('forbidden', 'refused')
  expect(await create(guarded)).toBe('forbidden refused')
  expect(calls).toEqual({ create: 1, probe: 1, list: 0 })
  await create(guarded)

  expect(calls).toEqual({ create: 2, probe: 1, list: 0 })
})

test.each(['rejected', 'busy', 'missing', 'sign_in', 'forbidden'] as const)(
  'a rejection (%s) does not count as a failure',
  async (failure) => {
    const { calls, state, guarded } = scripted()
    state.error = failing(failure, 'refused')
    for (let i = 0; i < 20; i++) expect(await create(guarded)).toBe(`${failure} refused`)

    expect(calls.create).toBe(20)
  },
)

test('a success in between resets the count of failures', async () => {
  const { calls, state, guarded } = scripted()
  for (let i = 0; i < 20; i++) {
    state.error = i % 5 === 4 ? undefined : failing('timeout', 'unknown')
    await create(guarded)
  }

  expect(calls).toEqual({ create: 8, probe: 16, list: 0 }) // each of the four rounds: one is sent, four wait for a read
})

test('after the pause the controller gets a probe before a creation; if the probe succeeds, calls continue', async () => {
  const { calls, state, guarded } = scripted()
  state.error = failing('timeout', 'unknown')
  for (let i = 0; i < 5; i++) await create(guarded)
  vi.advanceTimersByTime(restMs)
  expect(await create(guarded)).toBe('timeout refused')
  expect(calls).toEqual({ create: 1, probe: 5, list: 0 })
  expect(await create(guarded)).toBe('unreachable refused')

  state.error = undefined
  vi.advanceTimersByTime(restMs)
  expect(await create(guarded)).toBe('made')
  expect(await create(guarded)).toBe('made')
  expect(calls).toEqual({ create: 3, probe: 6, list: 0 })
})

test('setting the clock back by two hours does not prolong the pause', async () => {
  const { state, guarded } = scripted()
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
  vi.setSystemTime(Date.now() + 7_200_000)
  state.error = failing('timeout', 'unknown')
  for (let i = 0; i < 5; i++) await create(guarded)
  vi.setSystemTime(Date.now() - 7_200_000)
  vi.advanceTimersByTime(restMs)
  state.error = undefined

  expect(await create(guarded)).toBe('made')
})

test('a breaker that opens during a lookup does not end the lookup', async () => {
  let looks = 0
  const connection = {
    async *create(site: string) {
      if (site === 'sick') throw failing('timeout', 'unknown')
      for (;;) {
        looks += 1
        yield []
      }
    },
    probe: () => Promise.reject(failing('timeout', 'unknown')),
  } as unknown as ControllerConnection
  const guarded = guardConnection(connection)
  const steps = guarded.create('default', shape, 1)
  await steps.next()
  for (let i = 0; i < 6; i++)
    await guarded
      .create('sick', shape, 1)
      .next()
      .catch(() => {})

  expect(await steps.next()).toEqual({ done: false, value: [] })
  expect(looks).toBe(2)
})

test('a list that cannot be read does not count as a failure', async () => {
  const { calls, state, guarded } = scripted()
  state.error = failing('no_voucher', 'unknown')
  for (let i = 0; i < 10; i++)
    await guarded
      .list('bad')
      .next()
      .catch(() => {})
  state.error = undefined

  expect(await create(guarded)).toBe('made')
  expect(calls.list).toBe(10)
})

test('a probe that is rejected shows that the controller is reachable: calls are sent to it again', async () => {
  const { state, guarded } = scripted()
  state.error = failing('unreachable', 'refused')
  for (let i = 0; i < 5; i++) await create(guarded)
  state.error = failing('sign_in', 'refused')
  await expect(guarded.probeAnyway('default')).rejects.toThrow('planted')

  expect(await create(guarded)).toBe('sign_in refused')
})
