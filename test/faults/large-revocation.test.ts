import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { largeRevocation, runWithFaults } from './run-with-faults.ts'

const run = { seed: 21, seconds: 60, creates: 20, kills: 10, maxSeconds: 120 }

/** In CI, `src/worker/withdrawal-order.waiting.test.ts` tests this without kills. */
test.runIf(isLong)(
  'stays end in time beside a large revocation while processes are killed',
  { timeout: 1_800_000 },
  async () => {
    expect(await runWithFaults({ ...largeRevocation, ...run })).toEqual([])
  },
)
