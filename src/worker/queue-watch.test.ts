import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { createQueueWatch } from './queue-watch.ts'

const times = { lookEveryMs: 10, looksUntilNotReady: 3, looksUntilStalled: 6 }

/** A watch over two queues: `sync` makes progress at every look, `attempt` only while it is not stuck. */
function startWatch(options: { isReachable: () => boolean; isStuck: () => boolean }) {
  let attempts = 0
  const silentBeforeLook: string[][] = []
  const looks = () => silentBeforeLook.length
  const lastProgress = () => {
    silentBeforeLook.push(watch.silentQueues())
    if (!options.isStuck()) attempts += 1
    return new Map(Object.entries({ sync: looks(), attempt: attempts }))
  }
  const isDatabaseReachable = async () => options.isReachable()
  const watch = createQueueWatch({ queue: { lastProgress }, isDatabaseReachable }, times)
  const onStalled = vi.fn()
  onFileEnd(watch.stop)
  watch.start(onStalled)
  return { watch, onStalled, silentBeforeLook, looks }
}

test('a queue without progress is silent after three looks and stalled after six; then the watch ends', async () => {
  const { onStalled, silentBeforeLook } = startWatch({ isReachable: () => true, isStuck: () => true })
  await vi.waitFor(() => expect(onStalled).toHaveBeenCalled(), { timeout: 20_000 })
  await pause(10 * times.lookEveryMs)

  expect(onStalled.mock.calls).toEqual([[['attempt']]])
  expect(silentBeforeLook).toEqual([[], [], [], [], ['attempt'], ['attempt'], ['attempt']])
})

test('progress resets the count', async () => {
  let looked = 0
  const { onStalled, looks } = startWatch({ isReachable: () => true, isStuck: () => ++looked % 5 !== 0 })
  await vi.waitFor(() => expect(looks()).toBeGreaterThan(30), { timeout: 20_000 })

  expect(onStalled).not.toHaveBeenCalled()
})

test('looks do not count while the database is out of reach; afterwards the count starts from zero', async () => {
  let isReachable = false
  const { onStalled, watch, looks } = startWatch({ isReachable: () => isReachable, isStuck: () => true })
  await vi.waitFor(() => expect(looks()).toBeGreaterThan(20), { timeout: 20_000 })
  expect([watch.silentQueues(), onStalled.mock.calls]).toEqual([[], []])

  isReachable = true
  const before = looks()
  await vi.waitFor(() => expect(onStalled).toHaveBeenCalled(), { timeout: 20_000 })
  expect(looks() - before).toBeGreaterThanOrEqual(times.looksUntilStalled)
})
