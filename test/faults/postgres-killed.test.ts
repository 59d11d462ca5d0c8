import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithFaults } from './run-with-faults.ts'

test.runIf(isLong)('no promise is broken when PostgreSQL is killed twice', { timeout: 3_600_000 }, async () => {
  const run = { seed: 11, seconds: 90, creates: 10_000, kills: 40, clients: 32, maxPauseMs: 4_000 }
  const broken = await runWithFaults({
    ...run,
    async beside({ postgres }) {
      for (const afterMs of [15_000, 30_000]) {
        await pause(afterMs)
        await postgres.kill()
        await pause(1_000)
        await postgres.start()
      }
      return []
    },
  })

  expect(broken).toEqual([])
})
