import type { Queryable } from '#db/database.ts'

/** Whoever locks a batch and its creations locks the batch first. */
export async function lockBatchOfCreations(tx: Queryable, siteId: number, id: string): Promise<void> {
  await tx.query('select from batches where site_id = $1 and id = $2 for no key update', [siteId, id])
}

/** Something became of its rows: the batch is looked at soon, even when it was finished before. */
export async function wakeBatch(tx: Queryable, siteId: number, id: string): Promise<void> {
  await tx.query('update batches set next_run_at = now(), finished_at = null where site_id = $1 and id = $2', [
    siteId,
    id,
  ])
}
