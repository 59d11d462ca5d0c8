import { expect, test } from 'vitest'
import { createLane } from './lane.ts'

const log = { error: () => {} }

test('work of one key runs once at a time, and the lane never runs more than its limit', async () => {
  const lane = createLane('test', 2, log)
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = () => promise
  expect([lane.start('a', work), lane.start('a', work), lane.start('b', work), lane.start('c', work)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(lane.free()).toBe(0)
  resolve()
  await lane.stop()

  expect([lane.free(), lane.start('a', work)]).toEqual([0, false])
})

test('a lane that is stopped aborts the signal of its running work and waits for its end', async () => {
  const lane = createLane('test', 1, log)
  const ended: string[] = []
  lane.start('a', async (stopping) => {
    while (!stopping.aborted) await new Promise((resolve) => setImmediate(resolve))
    ended.push('a')
  })
  await lane.stop()

  expect(ended).toEqual(['a'])
})

test('failed work is logged and frees its place', async () => {
  const logged: object[] = []
  const lane = createLane('test', 1, { error: (fields) => logged.push(fields) })
  lane.start('a', () => Promise.reject(new Error('planted')))
  await new Promise((resolve) => setImmediate(resolve))

  expect(lane.free()).toBe(1)
  expect(logged).toMatchObject([{ lane: 'test', key: 'a' }])
})
