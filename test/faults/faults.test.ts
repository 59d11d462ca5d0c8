import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithFaults } from './run-with-faults.ts'

/** A short run in CI, the promised sizes in the long run. */
const run = isLong
  ? { seed: 1, seconds: 60, creates: 10_000, kills: 40, clients: 32, maxPauseMs: 4_000 }
  : { seed: 1, seconds: 6, creates: 12, kills: 3, clients: 3, maxPauseMs: 1_000, maxSeconds: 20 }

test('no promise is broken', { timeout: 3_600_000 }, async () => {
  expect(await runWithFaults(run)).toEqual([])
})
