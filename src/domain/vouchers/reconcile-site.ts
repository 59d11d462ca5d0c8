import type { Database } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Controllers } from '../controllers/controllers.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { updateUnrecordedCount } from '../sites/sync-times.queries.ts'
import { insertScheduledWithdrawals } from '../withdrawals/withdrawals.queries.ts'
import { collect } from './collect.ts'
import { listLost } from './lost-vouchers.ts'
import { insertAdoptedVouchers, listUnrecorded } from './sync.queries.ts'

const rowsPerStatement = 1_000

/** Reads the controller now and returns the vouchers that this service seems to have made but that are not in its record. */
export async function findLostVouchers(
  { db, controllers }: { db: Database; controllers: Controllers },
  site: SiteOnController,
): Promise<SeenVoucher[]> {
  const seen = await collect(controllers.connectionOf(site).list(site.controllerSite))
  const lost = await listLost(db, site.id, await listUnrecorded(db, site.id, seen))
  await updateUnrecordedCount(db, site.id, lost.length)
  return lost
}

/** Records lost vouchers and returns how many. With `withdraw`, the worker then deletes them on the controller. */
export async function recordLostVouchers(
  db: Database,
  site: SiteOnController,
  lost: SeenVoucher[],
  { withdraw }: { withdraw: boolean },
): Promise<number> {
  let recorded = 0
  for (let i = 0; i < lost.length; i += rowsPerStatement) {
    recorded += await db.transaction(async (tx) => {
      const ids = await insertAdoptedVouchers(tx, site.id, lost.slice(i, i + rowsPerStatement))
      const due = ids.map((voucherId) => ({ voucherId, dueAt: null }))
      if (withdraw) await insertScheduledWithdrawals(tx, site.id, due)
      const action = withdraw ? 'vouchers.withdrawn' : 'vouchers.adopted'
      const details = { vouchers: ids.length }
      await recordAudit(tx, { action, targetKind: 'site', targetId: String(site.id), details })
      return ids.length
    })
  }
  await updateUnrecordedCount(db, site.id, Math.max(0, lost.length - recorded))
  return recorded
}
