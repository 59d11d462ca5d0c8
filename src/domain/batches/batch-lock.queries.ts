import type { Queryable } from '#db/database.ts'

/**
 * All code that ends or reopens a batch, sends its rows or records their outcome takes this lock before it reads. A revocation
 * takes the lock too, so that no row is sent or goes back to waiting while the revocation looks for the rows that it covers.
 */
export async function lockBatch(tx: Queryable, { siteId, id }: { siteId: number; id: string }): Promise<void> {
  await tx.query(`select from batches where site_id = $1 and id = $2 for no key update`, [siteId, id])
}

/** Makes the batch due after the outcome of a row was recorded, even if the batch was finished before. */
export async function makeBatchDue(tx: Queryable, siteId: number, id: string): Promise<void> {
  await tx.query('update batches set next_run_at = now(), finished_at = null where site_id = $1 and id = $2', [
    siteId,
    id,
  ])
}
