import type { Queryable } from '#db/database.ts'

/** Moves the counts of a day; the overview reads these. */
export async function moveSiteDay(
  db: Queryable,
  siteId: number,
  day: string,
  by: { created?: number; redeemed?: number; revoked?: number },
): Promise<void> {
  await db.query(
    `insert into site_days as known (site_id, day, created, redeemed, revoked) values ($1, $2, $3, $4, $5)
     on conflict (site_id, day) do update
       set created = known.created + excluded.created, redeemed = known.redeemed + excluded.redeemed,
           revoked = known.revoked + excluded.revoked`,
    [siteId, day, by.created ?? 0, by.redeemed ?? 0, by.revoked ?? 0],
  )
}
