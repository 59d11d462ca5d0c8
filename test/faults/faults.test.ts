import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithFaults } from './run-with-faults.ts'

/** A short run in CI, the promised sizes in the long run. */
const run = isLong
  ? { seed: 1, seconds: 60, creates: 10_000, kills: 40, clients: 32, maxPauseMs: 4_000 }
  : { seed: 1, seconds: 36, creates: 300, kills: 6, clients: 12, maxPauseMs: 800, maxSeconds: 60 }

test('no promise is broken', { timeout: 3_600_000 }, async () => {
  expect(await runWithFaults(run)).toEqual([])
})
