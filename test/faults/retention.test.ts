import { expect, test } from 'vitest'
import { size } from '#test/measuring.ts'
import { ageCreations } from './age-creations.ts'
import { runWithFaults } from './run-with-faults.ts'

const seconds = size(10, 120)

/** Retention deletes a creation a day after it was settled. Here that is less than a second. */
test('no promise is broken when retention meets batches whose worker died before it updated their rows', {
  timeout: 1_500_000,
}, async () => {
  const broken = await runWithFaults({
    seed: 31,
    seconds,
    creates: size(5, 500),
    kills: size(2, 20),
    clients: size(1, 8),
    maxPauseMs: 1_000,
    onlyFaults: ['kill the worker before a row update'],
    beside: (world) => ageCreations(world, seconds),
  })

  expect(broken).toEqual([])
})
