import { expect, onTestFinished, test, vi } from 'vitest'
import { createSlots, type Gathered, gatherCalls, type SlotOptions } from './concurrency.ts'

/** Work whose runs end when the test ends them. `runs` tells with which calls each run was started. */
function controlledRuns() {
  const runs: { calls: Gathered<string>[]; end: PromiseWithResolvers<string[]> }[] = []
  const gather = gatherCalls<string, string>((calls) => {
    const end = Promise.withResolvers<string[]>()
    runs.push({ calls, end })
    return end.promise
  })
  return { runs, gather: (key: string) => gather(key, key.toUpperCase()) }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Starts the two runs that may be under way at once. */
async function startTwo(gather: (key: string) => Promise<unknown>) {
  const first = gather('first')
  await settle()
  const second = gather('second')
  await settle()
  return [first, second]
}

test('calls of one moment are served by one run', async () => {
  const { runs, gather } = controlledRuns()

  const calls = [gather('a'), gather('b'), gather('a')]
  await settle()
  expect(runs.map(({ calls }) => calls)).toEqual([
    [
      { call: 'A', callers: 2 },
      { call: 'B', callers: 1 },
    ],
  ])
  runs[0]?.end.resolve(['of a', 'of b'])

  expect(await Promise.all(calls)).toEqual([
    { result: 'of a', place: 1, callers: 2 },
    { result: 'of b', place: 1, callers: 1 },
    { result: 'of a', place: 2, callers: 2 },
  ])
})

test('calls during two runs wait for the next run, which starts when one of the two has ended', async () => {
  const { runs, gather } = controlledRuns()

  const [first] = await startTwo(gather)
  const others = [gather('first'), gather('second'), gather('first')]
  await settle()
  expect(runs).toHaveLength(2)
  runs[0]?.end.resolve(['first run'])
  await settle()
  expect(runs).toHaveLength(3)
  runs[2]?.end.resolve(['third run', 'of second'])

  expect(await first).toEqual({ result: 'first run', place: 1, callers: 1 })
  expect(await Promise.all(others)).toEqual([
    { result: 'third run', place: 1, callers: 2 },
    { result: 'of second', place: 1, callers: 1 },
    { result: 'third run', place: 2, callers: 2 },
  ])
})

test('a call after the last run ended starts a new run', async () => {
  let runs = 0
  const gather = gatherCalls<string, number>(async () => [++runs])

  for (const expected of [1, 2, 3]) {
    expect(await gather('key', 'call')).toEqual({ result: expected, place: 1, callers: 1 })
  }
})

test('of very many calls, a run serves at most 100', async () => {
  const sizes: number[] = []
  const gather = gatherCalls<number, number>(async (calls) => {
    sizes.push(calls.length)
    return calls.map(({ call }) => call)
  })

  const served = await Promise.all(Array.from({ length: 250 }, (_, i) => gather(String(i), i)))

  expect(served.map(({ result }) => result)).toEqual(Array.from({ length: 250 }, (_, i) => i))
  expect(sizes).toEqual([100, 100, 50])
})

test('a run that hangs gives its place to the next calls after half a second, and still serves its own', async () => {
  const { runs, gather } = controlledRuns()

  const [first] = await startTwo(gather)
  const third = gather('third')
  await settle()
  expect(runs).toHaveLength(2)
  await vi.waitFor(() => expect(runs).toHaveLength(3), { timeout: 60_000 })
  runs[2]?.end.resolve(['done'])
  runs[0]?.end.resolve(['late'])

  expect((await third).result).toBe('done')
  expect(((await first) as { result: string }).result).toBe('late')
})

test('if there are more calls than one run takes, the rest starts a second run at once', async () => {
  const sizes: number[] = []
  const gather = gatherCalls<number, number>((calls) => {
    sizes.push(calls.length)
    return new Promise(() => {})
  })

  for (let i = 0; i < 150; i++) void gather(String(i), i)
  await settle()

  expect(sizes).toEqual([100, 50])
})

test('a run that fails rejects only the calls that it served', async () => {
  const { runs, gather } = controlledRuns()

  const [first] = await startTwo(gather)
  const third = gather('third')
  runs[0]?.end.reject(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await settle()
  runs[2]?.end.resolve(['done'])

  expect((await third).result).toBe('done')
})

/** Work in slots that ends when the test ends it. `started` has the names in the order in which they got a slot. */
function controlledSlots(options: Partial<SlotOptions> = {}) {
  const rejection = () => new Error('too many')
  const slots = createSlots({ atOnce: 1, maxWaiting: 10, maxWaitMs: 60_000, rejection, ...options })
  const started: string[] = []
  const releases = new Map<string, () => void>()
  const take = async (name: string, signal?: AbortSignal) => {
    const { release } = await slots.take(name.slice(0, 1), { signal })
    started.push(name)
    releases.set(name, release)
  }
  onTestFinished(async () => {
    for (const release of releases.values()) {
      release() // the next one that waits gets the slot and is added to `releases`
      await settle()
    }
  })
  return { slots, started, take, release: (name: string) => releases.get(name)?.() }
}

test('slots: keys that wait take turns, and each key has at most its own slots', async () => {
  const { started, take, release } = controlledSlots({ inAll: 2 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void take(name)
  await settle()
  expect(started).toEqual(['a1', 'b1'])
  for (const ended of ['a1', 'a2', 'b1', 'c1', 'b2', 'a3']) {
    release(ended)
    await settle()
  }

  expect(started).toEqual(['a1', 'b1', 'a2', 'c1', 'b2', 'a3'])
})

test('slots: a slot that is released twice is passed on once', async () => {
  const { started, take, release } = controlledSlots()
  for (const name of ['a1', 'a2', 'a3']) void take(name)
  await settle()
  release('a1')
  release('a1')
  await settle()

  expect(started).toEqual(['a1', 'a2'])
})

test('slots: work whose signal aborts leaves the line at once', async () => {
  const { started, take, release } = controlledSlots({ maxWaiting: 1 })
  const { signal, abort } = abortable()
  await take('a1')
  const left = expect(take('a2', signal)).rejects.toThrow('too many')
  await expect(take('a3')).rejects.toThrow('too many')
  abort()
  await left
  void take('a4')
  release('a1')
  await settle()

  expect(started).toEqual(['a1', 'a4'])
})

test('slots: drain waits for slots that are taken and for work that waits', async () => {
  const { slots, take, release } = controlledSlots()
  await take('a1')
  const second = take('a2')
  let isDrained = false
  const draining = slots.drain().then(() => {
    isDrained = true
  })
  release('a1')
  await second
  expect(isDrained).toBe(false)
  release('a2')
  await draining
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

test('work that goes first leaves every fifth slot to other work, which keeps its order', async () => {
  const { run } = createSlots({ atOnce: 1, maxWaiting: 100, maxWaitMs: 60_000, rejection: () => new Error('busy') })
  const order: string[] = []
  const note = (name: string, goesFirst: boolean) => run('x', async () => void order.push(name), { goesFirst })
  const running = Promise.withResolvers<void>()
  const all = [run('x', () => running.promise)]
  for (const n of [1, 2, 3]) all.push(note(`other ${n}`, false))
  for (const n of [1, 2, 3, 4, 5, 6]) all.push(note(`first ${n}`, true))
  running.resolve()
  await Promise.all(all)

  const [before, after] = [
    [1, 2, 3, 4],
    [5, 6],
  ].map((numbers) => numbers.map((n) => `first ${n}`))
  expect(order).toEqual([...(before ?? []), 'other 1', ...(after ?? []), 'other 2', 'other 3'])
})
