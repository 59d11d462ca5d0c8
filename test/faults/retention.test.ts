import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { ageCreations } from './age-creations.ts'
import { runWithFaults } from './run-with-faults.ts'

const seconds = 120

/**
 * Retention deletes a creation a day after it was settled. Here that is less than a second. In CI,
 * `src/worker/rows-without-creation.test.ts` tests this without processes.
 */
test.runIf(isLong)(
  'no promise is broken when retention meets batches whose worker died before it updated their rows',
  {
    timeout: 1_500_000,
  },
  async () => {
    const broken = await runWithFaults({
      seed: 31,
      seconds,
      creates: 500,
      kills: 20,
      clients: 8,
      maxPauseMs: 1_000,
      onlyFaults: ['kill the worker before a row update'],
      beside: (world) => ageCreations(world, seconds),
    })

    expect(broken).toEqual([])
  },
)
