import type { Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import {
  listBatchesWithPlainHash,
  lockBatches,
  updateBatchesErased,
  updateBatchHashes,
  updateRowsOfVouchersErased,
} from '../batches/erase-rows.queries.ts'
import { updateRowsWithoutVoucherErased, updateTheseRowsErased } from '../batches/rows-to-forget.queries.ts'
import { eraseReferences } from '../deliveries/erase-references.queries.ts'
import { keyHashes } from '../idempotency.ts'
import { updateMessagesErased } from '../messages/messages.queries.ts'
import type { SiteItem } from '../public-id.ts'
import {
  listErasableVouchers,
  lockCreations,
  lockEndedVouchers,
  updateCreationsErased,
  updateVouchersErased,
} from '../record/erase-vouchers.queries.ts'
import { lockChangesOf, updateChangesErased } from '../remembered-requests.queries.ts'
import { lockRevocationsOf, updateRevocationsErased } from '../revocations/revocations.queries.ts'

/** The result of one erasing act. `entries` counts rows in all places. */
export type Erased = { vouchers: string[]; entries: number }

/**
 * Erases those of these vouchers that have ended, with everything that was stored for them: creations, rows of batches, references in
 * events, addresses of messages, and hashes that can be guessed. The rows stay. Vouchers that still work keep their name. The caller owns the transaction and
 * passes at most 500 vouchers, so that it is short. It follows the lock order of domain/record/README.md.
 */
export async function eraseVouchers(tx: Queryable, keyring: Keyring, siteId: number, ids: string[]): Promise<Erased> {
  const asked = await listErasableVouchers(tx, siteId, ids)
  if (asked.length === 0) return { vouchers: [], entries: 0 }
  const batchIds = present(asked.map(({ batchId }) => batchId))
  await lockBatches(tx, siteId, batchIds)
  const creations = await lockCreations(tx, siteId, present(asked.map(({ creationId }) => creationId)))
  const ended = await lockEndedVouchers(
    tx,
    siteId,
    asked.map(({ id }) => id),
  )
  const vouchers = ended.map(({ id }) => id)
  const creationIds = present(ended.map(({ creationId }) => creationId))
  const rows = await updateRowsOfVouchersErased(tx, siteId, batchIds, { voucherIds: vouchers, creationIds })
  const batches = await eraseBatches(tx, keyring, siteId, batchIds)
  const isEnded = new Set(creationIds)
  const ofEnded = creations.filter(({ creationId }) => isEnded.has(creationId))
  const created = await updateCreationsErased(tx, siteId, keyHashes(keyring, ofEnded))
  await updateVouchersErased(tx, siteId, vouchers)
  const events = await eraseReferences(tx, siteId, { voucherIds: vouchers, batchIds: batches })
  const messages = await updateMessagesErased(tx, siteId, vouchers)
  await updateChangesErased(tx, keyHashes(keyring, await lockChangesOf(tx, vouchers)))
  await updateRevocationsErased(tx, keyHashes(keyring, await lockRevocationsOf(tx, siteId, vouchers)))
  return { vouchers, entries: vouchers.length + created + rows + batches.length + events + messages }
}

/**
 * Erases the hash of locked batches that have an erased row, and the reference of those whose rows are all erased. Returns the ids of
 * the latter, without those that were erased before.
 */
async function eraseBatches(tx: Queryable, keyring: Keyring, siteId: number, ids: string[]): Promise<string[]> {
  const keyed = keyHashes(keyring, await listBatchesWithPlainHash(tx, siteId, ids))
  await updateBatchHashes(tx, siteId, keyed)
  return updateBatchesErased(tx, siteId, { ids, keyedIds: keyed.ids })
}

function present(ids: (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))]
}

/** Erases the rows of finished batches that got no voucher. A batch that is retried at this moment keeps them. Returns how many. */
export async function eraseRowsWithoutVoucher(
  tx: Queryable,
  keyring: Keyring,
  siteId: number,
  batchIds: string[],
): Promise<number> {
  if (batchIds.length === 0) return 0
  await lockBatches(tx, siteId, batchIds)
  const rows = await updateRowsWithoutVoucherErased(tx, siteId, batchIds)
  const batches = await eraseBatches(tx, keyring, siteId, batchIds)
  await eraseReferences(tx, siteId, { voucherIds: [], batchIds: batches })
  return rows
}

/** Erases rows of a batch that got no voucher. Returns the number of entries. */
export async function eraseRows(tx: Queryable, keyring: Keyring, batch: SiteItem, numbers: number[]): Promise<number> {
  await lockBatches(tx, batch.siteId, [batch.id])
  const rows = await updateTheseRowsErased(tx, batch, numbers)
  const batches = await eraseBatches(tx, keyring, batch.siteId, [batch.id])
  const events = await eraseReferences(tx, batch.siteId, { voucherIds: [], batchIds: batches })
  return rows + batches.length + events
}

/** Erases settled creations without a voucher, and their earlier attempts. Returns how many. */
export async function eraseCreations(tx: Queryable, keyring: Keyring, siteId: number, ids: string[]): Promise<number> {
  return updateCreationsErased(tx, siteId, keyHashes(keyring, await lockCreations(tx, siteId, ids)))
}
