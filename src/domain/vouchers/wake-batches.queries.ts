import type { Queryable } from '#db/database.ts'

/**
 * Something became of its rows: it is looked at soon, also when it was finished before. Written in any case: whoever is
 * about to end it comes before this commit or after it.
 */
export async function wakeBatches(tx: Queryable, siteId: number, ids: string[]): Promise<void> {
  await tx.query(
    `update batches set next_run_at = now(), finished_at = null
      where site_id = $1 and id = any ($2)`,
    [siteId, ids],
  )
}
