import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithFaults } from './run-with-faults.ts'
import { withoutStandby } from './without-standby.ts'

/** In CI, `test/history/unconfirmed-commits.test.ts` tests this without other faults. */
test.runIf(isLong)('no promise is broken without a synchronous standby for 30 s', { timeout: 1_500_000 }, async () => {
  const broken = await runWithFaults({
    ...{ seed: 41, seconds: 45, creates: 1_000, kills: 0, clients: 16, maxPauseMs: 2_000 },
    onlyFaults: ['controller misbehaves', 'link to a controller', 'link to the sink'],
    beside: (world) => withoutStandby(world, 30),
  })

  expect(broken).toEqual([])
})
