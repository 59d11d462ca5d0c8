import { setTimeout as pause } from 'node:timers/promises'
import type { World } from './world.ts'

/**
 * Dates the settled creations of batches back by more than a day, for some seconds. The worker deletes old creations
 * when it starts, so a worker that was killed meets them at once.
 */
export async function ageCreations({ db }: World, seconds: number): Promise<string[]> {
  const endsAt = Date.now() + seconds * 1_000
  while (Date.now() < endsAt) {
    await db.query(
      `update creations set settled_at = settled_at - interval '25 hours'
        where (site_id, id) in (select site_id, id from creations
                                 where batch_id is not null and settled_at > now() - interval '24 hours'
                                   for update skip locked)`,
    )
    await pause(100)
  }
  return []
}
