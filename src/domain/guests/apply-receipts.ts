import type { Database } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { continueErasure, type EraseContext } from './erase-guests.ts'
import { findErasure, insertErasure, insertItems, type Receipt } from './erasures.queries.ts'

/** The changes that receipts made in a restored record. `unknown`: receipts that it did not have. */
export type AppliedReceipts = { receipts: number; unknown: number; erased: number; waiting: number }

/**
 * Erases again what a restored record has again: everything that the receipts name, and nothing else. Vouchers that still work are
 * marked, as for an erasure that waits. Applying the same receipts again changes nothing.
 */
export async function applyReceipts(ctx: EraseContext, actor: Actor, receipts: Receipt[]): Promise<AppliedReceipts> {
  const applied: AppliedReceipts = { receipts: receipts.length, unknown: 0, erased: 0, waiting: 0 }
  for (const receipt of receipts) {
    if (await writeReceiptAgain(ctx.db, receipt)) applied.unknown++
    const before = await findErasure(ctx.db, receipt.id)
    await continueErasure(ctx, receipt.id)
    const after = await findErasure(ctx.db, receipt.id)
    applied.erased += (after?.entries ?? 0) - (before?.entries ?? 0)
    applied.waiting += after?.waiting ?? 0
  }
  await recordAudit(ctx.db, actor, {
    ...{ action: 'guests.erased_again', targetKind: 'record', targetId: 'record' },
    details: { ...applied },
  })
  return applied
}

/** Adds a receipt with its items. Returns false if the record had the receipt; the items may be new nevertheless. */
async function writeReceiptAgain(db: Database, { items, ...receipt }: Receipt): Promise<boolean> {
  return db.transaction(async (tx) => {
    const isNew = await insertErasure(tx, receipt)
    await insertItems(tx, receipt.id, items)
    return isNew
  })
}
