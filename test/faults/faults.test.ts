import { expect, test } from 'vitest'
import { isLong } from '#test/size.ts'
import { runWithFaults } from './run-with-faults.ts'

/** In CI: short runs with other seeds. In the long run: as much as is promised. */
const runs = isLong
  ? [{ seed: 1, seconds: 60, creates: 10_000, kills: 40, clients: 32, maxPauseMs: 4_000 }]
  : [1, 2, 3].map((seed) => ({
      seed,
      seconds: 12,
      creates: 100,
      kills: 2,
      clients: 12,
      maxPauseMs: 800,
      maxSeconds: 40,
    }))

test.each(runs)('seed $seed: no promise is broken', { timeout: 3_600_000 }, async (run) => {
  expect(await runWithFaults(run)).toEqual([])
})
