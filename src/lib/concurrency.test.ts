import { expect, test } from 'vitest'
import { gatherCalls } from './concurrency.ts'

/** Work whose runs end when the test ends them. `runs` tells for how many callers each run was started. */
function controlledRuns() {
  const runs: { callers: number; end: PromiseWithResolvers<string> }[] = []
  const work = (callers: number) => {
    const end = Promise.withResolvers<string>()
    runs.push({ callers, end })
    return end.promise
  }
  return { runs, work }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('calls during a run are served together by the next run, which starts after the first one ended', async () => {
  const gather = gatherCalls<string>()
  const { runs, work } = controlledRuns()

  const first = gather('key', work)
  await settle()
  const others = [gather('key', work), gather('key', work), gather('key', work)]
  await settle()
  expect(runs.map(({ callers }) => callers)).toEqual([1])
  runs[0]?.end.resolve('first run')
  await settle()
  runs[1]?.end.resolve('second run')

  expect(await first).toEqual({ result: 'first run', place: 1, callers: 1 })
  expect(await Promise.all(others)).toEqual([
    { result: 'second run', place: 1, callers: 3 },
    { result: 'second run', place: 2, callers: 3 },
    { result: 'second run', place: 3, callers: 3 },
  ])
  expect(runs.map(({ callers }) => callers)).toEqual([1, 3])
})

test('a call after the last run ended starts a new run', async () => {
  const gather = gatherCalls<number>()
  let runs = 0

  for (const expected of [1, 2, 3]) {
    expect(await gather('key', async () => ++runs)).toEqual({ result: expected, place: 1, callers: 1 })
  }
})

test('calls with other keys do not wait', async () => {
  const gather = gatherCalls<string>()
  const { runs, work } = controlledRuns()

  const slow = gather('slow', work)
  await settle()

  expect(await gather('other', async () => 'done')).toEqual({ result: 'done', place: 1, callers: 1 })
  runs[0]?.end.resolve('done too')
  expect((await slow).result).toBe('done too')
})

test('a run that fails rejects only the calls that it served', async () => {
  const gather = gatherCalls<string>()
  const { runs, work } = controlledRuns()

  const first = gather('key', work)
  await settle()
  const second = gather('key', work)
  runs[0]?.end.reject(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await settle()
  runs[1]?.end.resolve('done')

  expect((await second).result).toBe('done')
})
