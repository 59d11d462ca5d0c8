import type { Queryable } from './database.ts'

/** Stores the time of a complete backup, by the clock of the database. The metric of its age uses that clock too. */
export async function updateLastBackup(db: Queryable): Promise<void> {
  await db.query(
    'insert into last_backup (taken_at) values (now()) on conflict (only_one) do update set taken_at = excluded.taken_at',
  )
}
