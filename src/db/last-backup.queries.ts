import type { Queryable } from './database.ts'

/**
 * Stores the time of a complete backup. Without `takenAt`, it is the present time of the database, as in the metric that shows
 * its age.
 */
export async function updateLastBackup(db: Queryable, takenAt: Date | null = null): Promise<void> {
  await db.query(
    `insert into last_backup (taken_at) values (coalesce($1, now()))
     on conflict (only_one) do update set taken_at = excluded.taken_at`,
    [takenAt],
  )
}
