import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { retryWhileLocked } from './retry-while-locked.ts'

const patienceMs = 50

/** Takes longer than the patience, and then gets no lock. */
async function workWithoutLock(): Promise<never> {
  await pause(2 * patienceMs)
  throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
}

test('the time before a migration first gets no lock does not count', async () => {
  let calls = 0
  const work = async () => (++calls === 1 ? workWithoutLock() : 'done')

  expect(await retryWhileLocked({ patienceMs, name: () => '0001_a' }, work)).toBe('done')
})

test('each migration is retried for the whole time', async () => {
  let calls = 0
  const work = async () => (++calls <= 2 ? workWithoutLock() : 'done')

  expect(await retryWhileLocked({ patienceMs, name: () => `000${calls}_a` }, work)).toBe('done')
})

test('a migration that gets no lock for this long is given up', async () => {
  await expect(retryWhileLocked({ patienceMs, name: () => '0001_a' }, workWithoutLock)).rejects.toThrow(
    'The migration 0001_a got no lock',
  )
})
