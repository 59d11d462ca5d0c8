import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { updateStampSkew } from './controllers.queries.ts'
import type { Controllers } from './controllers.ts'

/** The header `Date` and the stamps are whole seconds, and a reply is under way for a while. */
const toleranceMs = 3_000

/**
 * Stores how far the controller's stamps are ahead of the `Date` of its replies, which may come from a proxy. The
 * controller stamps a voucher between the request and the answer. If the stamp, corrected by `Date`, is outside this
 * time, the two clocks differ.
 */
export async function measureStampSkew(
  { db, clock, controllers }: { db: Queryable; clock: Clock; controllers: Controllers },
  site: SiteOnController,
  made: SeenVoucher | undefined,
  askedAt: Date,
): Promise<void> {
  if (!made?.createdAt || !made.stampedAt) return
  // Computes the skew that this voucher was corrected with. The known skew may have changed since `site` was read.
  const correctedByMs = made.stampedAt.getTime() - made.createdAt.getTime()
  const usedSkewMs = correctedByMs - controllers.connectionOf(site).dateAheadMs()
  const skewMs = usedSkewMs + outside(made.createdAt.getTime(), askedAt.getTime(), clock.now().getTime())
  if (site.stampSkewMs !== null && Math.abs(skewMs - site.stampSkewMs) <= toleranceMs) return
  await updateStampSkew(db, site.controllerId, skewMs).catch(() => {}) // the next voucher measures it again
}

function outside(timeMs: number, fromMs: number, toMs: number): number {
  if (timeMs < fromMs - toleranceMs) return Math.round(timeMs - fromMs)
  return timeMs > toMs + toleranceMs ? Math.round(timeMs - toMs) : 0
}
