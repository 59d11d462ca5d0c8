import type { Database } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { notifyChanged } from '../deliveries/notify-webhooks.ts'
import { listEndedVouchers, updateVouchersEnded } from '../record/end-vouchers.queries.ts'

const vouchersPerRound = 1_000

/**
 * Records the end of vouchers whose minutes ran out, without waiting for a sync, and notifies webhooks. The vouchers of one
 * site share one commit and one event. Returns how many vouchers ended.
 */
export async function recordEndedVouchers({ db, queue }: { db: Database; queue: Queue }): Promise<number> {
  let total = 0
  for (;;) {
    const ended = await listEndedVouchers(db, vouchersPerRound)
    let changes = 0
    for (const [siteId, vouchers] of Map.groupBy(ended, (voucher) => voucher.siteId)) {
      const site = { id: siteId, name: vouchers[0]?.site ?? '' }
      changes += await db.transaction(async (tx) => {
        const ids = vouchers.map(({ id }) => id)
        const changed = await updateVouchersEnded(tx, siteId, ids)
        await notifyChanged(tx, queue, 'voucher.expired', { site, changed })
        reachPoint('before event commit')
        return changed.length
      })
    }
    total += changes
    if (ended.length < vouchersPerRound || changes === 0) return total
  }
}
