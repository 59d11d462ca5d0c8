import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithFaults } from './run-with-faults.ts'

/** A short run in CI, the promised sizes in the long run. */
const run = isLong
  ? { seed: 1, seconds: 60, creates: 10_000, kills: 40, clients: 32, maxPauseMs: 4_000 }
  : { seed: 1, seconds: 20, creates: 150, kills: 4, clients: 8, maxPauseMs: 800, maxSeconds: 45 }

test('no promise is broken', { timeout: 3_600_000 }, async () => {
  expect(await runWithFaults(run)).toEqual([])
})
