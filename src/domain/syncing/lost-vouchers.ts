import type { Database, Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import { inPieces } from '#lib/pieces.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import { insertAdoptedVouchers } from '../record/observe-vouchers.queries.ts'
import { insertScheduledWithdrawals } from '../record/withdrawals.queries.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { updateUnrecordedCount } from '../sites/sync-times.queries.ts'
import { listRecordedElsewhere, listUnrecorded, type UnrecordedVoucher } from './sync.queries.ts'

const rowsPerStatement = 1_000

/** Reads the controller now and returns the vouchers that this service seems to have made but that are not in its record. */
export async function findLostVouchers(
  { db, controllers }: { db: Database; controllers: Controllers },
  site: SiteOnController,
): Promise<SeenVoucher[]> {
  const seen = await readWholeList(controllers.connectionOf(site).list(site.controllerSite))
  const lost = await listLostVouchers(db, site.id, await listUnrecorded(db, site.id, seen))
  await updateUnrecordedCount(db, site.id, lost.length)
  return lost
}

/** Records lost vouchers and returns how many. With `withdraw`, the worker then deletes them on the controller. */
export async function recordLostVouchers(
  { db, clock, today }: { db: Database; clock: Clock; today: Calendar },
  actor: Actor,
  site: SiteOnController,
  lost: SeenVoucher[],
  { withdraw }: { withdraw: boolean },
): Promise<number> {
  let recorded = 0
  for (const piece of inPieces(lost, rowsPerStatement)) {
    recorded += await db.transaction(async (tx) => {
      const ids = await insertAdoptedVouchers(tx, { siteId: site.id, today, now: clock.now() }, piece)
      const due = ids.map((voucherId) => ({ voucherId, reason: 'repair' as const }))
      if (withdraw) await insertScheduledWithdrawals(tx, site.id, due)
      const action = withdraw ? 'vouchers.withdrawn' : 'vouchers.adopted'
      const details = { vouchers: ids.length }
      await recordAudit(tx, actor, { action, targetKind: 'site', targetId: String(site.id), details })
      return ids.length
    })
  }
  // Another process may have recorded some of them meanwhile, so the record is read again.
  const left = await listUnrecorded(db, site.id, lost)
  await updateUnrecordedCount(db, site.id, (await listLostVouchers(db, site.id, left)).length)
  return recorded
}

/** The names of all vouchers that this service makes begin with a date. */
const datedName = /^\d{4}-\d\d-\d\d_/

/**
 * Unrecorded vouchers that this service seems to have made: their name begins with a date, and no other administrator made
 * them. The record may have lost them in a failover or a restored backup. Vouchers with the name of a creation that is
 * under way are left out, because the creation may still record them. Vouchers that are recorded for another site are left
 * out too: one site of a controller may have been added twice, for example by its name and by its id.
 */
export async function listLostVouchers(
  db: Queryable,
  siteId: number,
  unrecorded: UnrecordedVoucher[],
): Promise<SeenVoucher[]> {
  const lost = unrecorded.filter((voucher) => isOurStyle(voucher) && !voucher.isSought)
  if (lost.length === 0) return []
  const elsewhere = new Set(await listRecordedElsewhere(db, siteId, lost))
  return lost.filter(({ id }) => id === null || !elsewhere.has(id))
}

function isOurStyle({ shape, isOurs }: SeenVoucher): boolean {
  if (isOurs === false) return false
  return datedName.test(shape.name) || (isOurs === true && shape.name === '')
}
