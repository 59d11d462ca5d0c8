import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { createQueueWatch } from './queue-watch.ts'

const times = { checkEveryMs: 10, checksUntilNotReady: 3, checksUntilStalled: 6 }

/** A watch over two queues: `sync` makes progress at every check, `attempt` only while it is not stuck. */
function startWatch(options: { isReachable: () => boolean; isStuck: () => boolean }) {
  let attempts = 0
  const silentBeforeCheck: string[][] = []
  const checks = () => silentBeforeCheck.length
  const lastProgress = () => {
    silentBeforeCheck.push(watch.silentQueues())
    if (!options.isStuck()) attempts += 1
    return new Map(Object.entries({ sync: checks(), attempt: attempts }))
  }
  const isDatabaseReachable = async () => options.isReachable()
  const watch = createQueueWatch({ queue: { lastProgress }, isDatabaseReachable }, times)
  const onStalled = vi.fn()
  onFileEnd(watch.stop)
  watch.start(onStalled)
  return { watch, onStalled, silentBeforeCheck, checks }
}

test('a queue without progress is silent after three checks and stalled after six; then the watch ends', async () => {
  const { onStalled, silentBeforeCheck } = startWatch({ isReachable: () => true, isStuck: () => true })
  await vi.waitFor(() => expect(onStalled).toHaveBeenCalled(), { timeout: 20_000 })
  await pause(10 * times.checkEveryMs)

  expect(onStalled.mock.calls).toEqual([[['attempt']]])
  expect(silentBeforeCheck).toEqual([[], [], [], [], ['attempt'], ['attempt'], ['attempt']])
})

test('progress resets the count', async () => {
  let checked = 0
  const { onStalled, checks } = startWatch({ isReachable: () => true, isStuck: () => ++checked % 5 !== 0 })
  await vi.waitFor(() => expect(checks()).toBeGreaterThan(30), { timeout: 20_000 })

  expect(onStalled).not.toHaveBeenCalled()
})

test('checks do not count while the database is out of reach; afterwards the count starts from zero', async () => {
  let isReachable = false
  const { onStalled, watch, checks } = startWatch({ isReachable: () => isReachable, isStuck: () => true })
  await vi.waitFor(() => expect(checks()).toBeGreaterThan(20), { timeout: 20_000 })
  expect([watch.silentQueues(), onStalled.mock.calls]).toEqual([[], []])

  isReachable = true
  const before = checks()
  await vi.waitFor(() => expect(onStalled).toHaveBeenCalled(), { timeout: 20_000 })
  expect(checks() - before).toBeGreaterThanOrEqual(times.checksUntilStalled)
})
