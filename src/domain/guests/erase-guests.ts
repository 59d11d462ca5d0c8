import { v7 as uuidv7 } from 'uuid'
import { type Database, type Queryable, transactionDespiteDeadlocks } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { Log } from '#lib/log.ts'
import { reachPoint } from '#lib/points.ts'
import { type Actor, actorName } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { updateVouchersMarked } from '../record/erase-vouchers.queries.ts'
import { eraseCreations, eraseRows, eraseVouchers } from './erase-vouchers.ts'
import {
  addEntries,
  type Erasure,
  type ErasureReason,
  findErasure,
  insertErasure,
  insertItemsOfGuests,
  insertRepeats,
  insertVouchersMade,
  listCreationsToErase,
  listErasuresToContinue,
  listRowsToErase,
  listVouchersToErase,
  updateErasureFinished,
} from './erasures.queries.ts'
import type { Guest } from './guest.queries.ts'

/** Erasing 500 vouchers takes about 0.2 s. */
const itemsPerStep = 500
/** A request erases at most about 10,000 vouchers. The worker erases the others. */
const stepsPerRequest = 20

export type EraseContext = { db: Database; keyring: Keyring }

export type EraseRequest = {
  guests: Guest[]
  reason: ErasureReason
  /** A voucher that still works: then nothing is erased, or the voucher is erased after its end. */
  valid: 'refuse' | 'after_end'
}

/**
 * Erases the data of guests and returns the receipt. The receipt is committed first, with everything that is to be erased. So if the
 * process dies, the worker completes it, and a repeated request erases what is left.
 */
export async function eraseGuests(ctx: EraseContext, actor: Actor, request: EraseRequest): Promise<Erasure> {
  const id = await writeReceipt(ctx.db, actor, request)
  reachPoint('after receipt')
  await continueErasure(ctx, id, { maxSteps: stepsPerRequest })
  return (await findErasure(ctx.db, id)) as Erasure
}

async function writeReceipt(db: Database, actor: Actor, { guests, reason, valid }: EraseRequest): Promise<string> {
  return db.transaction(async (tx) => {
    const id = uuidv7()
    const siteIds = [...new Set(guests.map(({ siteId }) => siteId))]
    const by = { kind: actor.kind, id: 'id' in actor ? actor.id : null, name: actorName(actor) }
    await insertErasure(tx, { id, by, reason, siteIds })
    const found = await insertItemsOfGuests(tx, id, guests)
    if (found.items === 0) throw new DomainError('guest_not_found')
    if (valid === 'refuse' && found.valid > 0)
      throw new DomainError('voucher_still_valid', { details: { count: found.valid } })
    const { vouchers } = (await findErasure(tx, id)) as Erasure
    const details = { reason, guests: guests.length, vouchers, valid: found.valid }
    await recordAudit(tx, actor, { action: 'guests.erased', targetKind: 'erasure', targetId: id, details })
    return id
  })
}

/**
 * Erases what has ended, in steps of one transaction each. Vouchers that still work are marked. Any process may do this at any time, and
 * two may do it at once: what is erased already is not found again. Returns the number of steps.
 */
export async function continueErasure(
  ctx: EraseContext,
  id: string,
  { maxSteps = Number.POSITIVE_INFINITY, stopping }: { maxSteps?: number; stopping?: AbortSignal } = {},
): Promise<number> {
  await insertRepeats(ctx.db, id)
  await insertVouchersMade(ctx.db, id)
  let steps = 0
  for (const step of [eraseSomeVouchers, eraseSomeRows, eraseSomeCreations])
    while (steps < maxSteps && !stopping?.aborted && (await step(ctx, id))) steps++
  await updateErasureFinished(ctx.db, id)
  return steps
}

/**
 * Continues all unfinished erasures: a voucher may have ended, or the process that began the erasure has died. One that fails, e.g.
 * because somebody has locked a row of it, does not hold up the others. Its error is thrown at the end.
 */
export async function continueErasures(ctx: EraseContext & { log: Log }, stopping: AbortSignal): Promise<void> {
  let steps = 0
  const errors: unknown[] = []
  for (const id of await listErasuresToContinue(ctx.db)) {
    if (stopping.aborted) break
    await continueErasure(ctx, id, { stopping }).then(
      (done) => (steps += done),
      (error) => errors.push(error),
    )
  }
  if (steps > 0) ctx.log.info({ steps }, 'erasures of guests were continued')
  if (errors.length > 0) throw errors[0]
}

/** Returns false when there was nothing to do. */
async function eraseSomeVouchers(ctx: EraseContext, erasureId: string): Promise<boolean> {
  const vouchers = await listVouchersToErase(ctx.db, erasureId, itemsPerStep)
  const siteId = vouchers[0]?.siteId
  if (siteId === undefined) return false
  const idsWith = (ended: boolean) => vouchers.filter(({ hasEnded }) => hasEnded === ended).map(({ id }) => id)
  const [ended, valid] = [idsWith(true), idsWith(false)]
  if (valid.length > 0)
    await transactionDespiteDeadlocks(ctx.db, (tx) => updateVouchersMarked(tx, siteId, valid, erasureId))
  if (ended.length > 0)
    await commitEntries(ctx.db, erasureId, async (tx) => {
      const { entries } = await eraseVouchers(tx, ctx.keyring, siteId, ended)
      reachPoint('before guests are forgotten')
      return entries
    })
  return true
}

async function eraseSomeRows(ctx: EraseContext, erasureId: string): Promise<boolean> {
  const rows = await listRowsToErase(ctx.db, erasureId, itemsPerStep)
  const [first] = rows
  if (!first) return false
  const batch = { siteId: first.siteId, id: first.batchId }
  const numbers = rows.map(({ number }) => number)
  await commitEntries(ctx.db, erasureId, (tx) => eraseRows(tx, ctx.keyring, batch, numbers))
  return true
}

async function eraseSomeCreations(ctx: EraseContext, erasureId: string): Promise<boolean> {
  const creations = await listCreationsToErase(ctx.db, erasureId, itemsPerStep)
  const siteId = creations[0]?.siteId
  if (siteId === undefined) return false
  const ids = creations.map(({ id }) => id)
  await commitEntries(ctx.db, erasureId, (tx) => eraseCreations(tx, ctx.keyring, siteId, ids))
  return true
}

/** Erases something and adds its entries to the receipt, in one transaction. */
async function commitEntries(
  db: Database,
  erasureId: string,
  erase: (tx: Queryable) => Promise<number>,
): Promise<void> {
  await transactionDespiteDeadlocks(db, async (tx) => addEntries(tx, erasureId, await erase(tx)))
}
