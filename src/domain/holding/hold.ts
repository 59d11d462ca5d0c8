import type { Database, Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { updateStalledBatches } from '../batches/batches.queries.ts'
import { deleteHold, insertHold } from '../hold.queries.ts'
import { updateSitesDueForSync } from '../sites/sync-times.queries.ts'
import { updateFailingWebhooks } from '../webhooks/webhooks.queries.ts'
import type { HeldWork } from './held-work.queries.ts'

const record = { targetKind: 'record', targetId: 'record' }

/** Holds a restored record, and makes every site due for a sync, which shows what happened since the backup. */
export async function holdRestored(db: Database, actor: Actor, backupTakenAt: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await insertHold(tx, { reason: 'restored', backupTakenAt })
    await updateSitesDueForSync(tx)
    await recordAudit(tx, actor, { ...record, action: 'record.restored', details: { backup_taken_at: backupTakenAt } })
  })
}

/** Begins a trial with the data of another system. False if the service is held already. */
export async function holdForTrial(tx: Queryable, actor: Actor): Promise<boolean> {
  if (!(await insertHold(tx, { reason: 'trial', backupTakenAt: null }))) return false
  await recordAudit(tx, actor, { ...record, action: 'record.held', details: { reason: 'trial' } })
  return true
}

/** Holds a running service. False when it was held before. */
export async function holdByCommand(db: Database, actor: Actor): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await insertHold(tx, { reason: 'command', backupTakenAt: null }))) return false
    await recordAudit(tx, actor, { ...record, action: 'record.held' })
    return true
  })
}

/** Ends the hold that began at `since`. Sweeps of the workers begin the waiting work within seconds. False when it had ended. */
export async function resume(db: Database, actor: Actor, since: Date, work: HeldWork): Promise<boolean> {
  const { adopted, unrecorded } = work
  return db.transaction(async (tx) => {
    if (!(await deleteHold(tx, since))) return false
    // Nothing was tried during the hold, so its time must not count as a time of failures.
    await updateStalledBatches(tx)
    await updateFailingWebhooks(tx)
    await recordAudit(tx, actor, { ...record, action: 'record.resumed', details: { adopted, unrecorded } })
    return true
  })
}
