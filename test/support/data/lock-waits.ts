import { expect, vi } from 'vitest'
import type { Queryable } from '#db/database.ts'

/** Waits until this number of statements on the database wait for a lock. */
export async function untilWaitingForLock(db: Queryable, count = 1): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rowCount } = await db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(count)
    },
    { timeout: 30_000, interval: 20 },
  )
}
