import type { Queryable } from './database.ts'

/** Notes that a backup is complete. The time is that of the database, as in the metric that shows its age. */
export async function updateLastBackup(db: Queryable): Promise<void> {
  await db.query(
    'insert into last_backup (taken_at) values (now()) on conflict (only_one) do update set taken_at = excluded.taken_at',
  )
}
