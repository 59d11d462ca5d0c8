import type { Queryable } from '#db/database.ts'

/** An Idempotency-Key is remembered for a day after its creation was settled. In pieces, to keep each lock short. */
export async function deleteSettledCreations(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from creations
      where (site_id, id) in (
        select site_id, id from creations where settled_at < now() - interval '24 hours' order by settled_at limit 5000)`,
  )
  return rowCount ?? 0
}
