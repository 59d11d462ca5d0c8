import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { listRecordedElsewhere, listUnrecorded, listUnsettledNotes } from './sync.queries.ts'

/** The names of all vouchers that this service makes begin with a date. */
const datedName = /^\d{4}-\d\d-\d\d_/

/**
 * Unrecorded vouchers that this service seems to have made: their name begins with a date, and no other administrator made
 * them. The record may have lost them in a failover or a restored backup. Vouchers with the name of a creation that is
 * under way are left out, because the creation may still record them. Vouchers that are recorded for another site are left
 * out too: one site of a controller may have been added twice, for example by its name and by its id.
 */
export async function listLost(db: Queryable, siteId: number, unrecorded: SeenVoucher[]): Promise<SeenVoucher[]> {
  const ours = unrecorded.filter(isOurStyle)
  if (ours.length === 0) return []
  const sought = new Set(await listUnsettledNotes(db, siteId))
  const free = ours.filter(({ shape }) => !sought.has(shape.name))
  // A creation may have recorded its voucher and ended since the caller looked, so the record is read again at the end.
  const lost = await listUnrecorded(db, siteId, free)
  if (lost.length === 0) return []
  const elsewhere = new Set(await listRecordedElsewhere(db, siteId, lost))
  return lost.filter(({ id }) => id === null || !elsewhere.has(id))
}

function isOurStyle({ shape, isOurs }: SeenVoucher): boolean {
  if (isOurs === false) return false
  return datedName.test(shape.name) || (isOurs === true && shape.name === '')
}
