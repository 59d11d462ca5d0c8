import type { Queryable } from '#db/database.ts'
import { DomainError } from './errors.ts'

/**
 * The command that began the hold. `restored`: `restore`, with a backup of the time `backupTakenAt`. `command`: `hold`. `trial`: `import`,
 * because the system from which the data came still works.
 */
export type Hold = { since: Date } & (
  | { reason: 'restored'; backupTakenAt: Date }
  | { reason: 'command' | 'trial'; backupTakenAt: null }
)

/**
 * SQL: the service is not held. Statements that begin work on a controller or a receiver contain it, so that no process
 * relies on an earlier answer. The table is empty in normal operation, so the check reads no row.
 */
export const isNotHeldSql = 'not exists (select from hold)'

export async function findHold(db: Queryable): Promise<Hold | undefined> {
  const { rows } = await db.query<Hold>('select since, reason, backup_taken_at as "backupTakenAt" from hold')
  return rows[0]
}

/** Inserts the hold. A restore replaces a hold that was in the backup; a command leaves an earlier hold and returns false. */
export async function insertHold(tx: Queryable, cause: Omit<Hold, 'since'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into hold (reason, backup_taken_at) values ($1, $2)
     on conflict (only_one) do update
       set since = now(), reason = excluded.reason, backup_taken_at = excluded.backup_taken_at
       where excluded.reason = 'restored'`,
    [cause.reason, cause.backupTakenAt],
  )
  return rowCount === 1
}

/** Deletes the hold that began at this time. False when it had ended before. */
export async function deleteHold(tx: Queryable, since: Date): Promise<boolean> {
  const { rowCount } = await tx.query('delete from hold where since = $1', [since])
  return rowCount === 1
}

/** Rejects a request that would create or withdraw vouchers while the service is held. */
export async function rejectIfHeld(db: Queryable): Promise<void> {
  if (await findHold(db)) throw new DomainError('held')
}
