import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { listUnrecorded, listUnsettledNotes } from './sync.queries.ts'

/** Every voucher that this service makes has a name that begins with a date. */
const datedName = /^\d{4}-\d\d-\d\d_/
const rowsPerStatement = 1_000

/**
 * Those of these unrecorded vouchers that this service seems to have made: by their name, and not by another administrator.
 * The record may have lost them with a failover or a restored backup. A creation that is under way may still find its own.
 */
export async function listLost(db: Queryable, siteId: number, unrecorded: SeenVoucher[]): Promise<SeenVoucher[]> {
  const ours = unrecorded.filter(isOurStyle)
  if (ours.length === 0) return []
  const sought = new Set(await listUnsettledNotes(db, siteId))
  const free = ours.filter(({ shape }) => !sought.has(shape.name))
  // A creation may have recorded its voucher and ended since the caller looked: the record is asked once more, last.
  const lost: SeenVoucher[] = []
  for (let i = 0; i < free.length; i += rowsPerStatement)
    lost.push(...(await listUnrecorded(db, siteId, free.slice(i, i + rowsPerStatement))))
  return lost
}

function isOurStyle({ shape, isOurs }: SeenVoucher): boolean {
  if (isOurs === false) return false
  return datedName.test(shape.name) || (isOurs === true && shape.name === '')
}
