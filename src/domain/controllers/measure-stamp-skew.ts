import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { updateStampSkew } from './controllers.queries.ts'

/** The header `Date` and the stamps have whole seconds, and replies take their time. */
const toleranceMs = 3_000

/**
 * A voucher is stamped between the request for it and its answer. A stamp that lies outside, although it was corrected by
 * the `Date` of the replies, shows that this `Date` is not the controller's: it is noted by how much they differ.
 */
export async function measureStampSkew(
  { db, clock }: { db: Queryable; clock: Clock },
  site: SiteOnController,
  made: SeenVoucher | undefined,
  askedAt: Date,
): Promise<void> {
  if (!made?.createdAt) return
  const skewMs = (site.stampSkewMs ?? 0) + outside(made.createdAt.getTime(), askedAt.getTime(), clock.now().getTime())
  if (skewMs === site.stampSkewMs) return
  await updateStampSkew(db, site.controllerId, skewMs).catch(() => {}) // the next voucher is another chance
}

function outside(timeMs: number, fromMs: number, toMs: number): number {
  if (timeMs < fromMs - toleranceMs) return Math.round(timeMs - fromMs)
  return timeMs > toMs + toleranceMs ? Math.round(timeMs - toMs) : 0
}
