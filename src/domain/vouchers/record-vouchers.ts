import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { DomainError } from '../errors.ts'
import { notifyCreated } from '../notifications/notify-created.ts'
import { moveSiteDay } from '../sites/site-days.queries.ts'
import { bringSyncForward } from '../sites/sync-times.queries.ts'
import { insertScheduledWithdrawals } from '../withdrawals/withdrawals.queries.ts'
import { claimFree } from './claim-free.ts'
import type { RecordedCreation } from './creation.ts'
import { type LockedCreation, lockCreations, updateCreationsRecorded } from './creations.queries.ts'
import type { Recording } from './recording.ts'
import { wakeBatches } from './wake-batches.queries.ts'

type RecordContext = { db: Database; queue: Queue }

/** How long to wait before each further try: the voucher exists, and it would be a pity to lose it to a short outage. */
const pausesMs = [100, 400, 1_000]

/** As `recordOnce`, again when the database was in trouble. A commit that only seemed lost is found, not repeated. */
export async function recordVouchers(ctx: RecordContext, recording: Recording): Promise<RecordedCreation[]> {
  for (const pauseMs of pausesMs) {
    try {
      return await recordOnce(ctx, recording)
    } catch (error) {
      if (error instanceof DomainError) throw error
      await pause(pauseMs)
    }
  }
  return recordOnce(ctx, recording)
}

/**
 * One commit: the vouchers, the outcome of their creations, the day's count, the list's version, the notification.
 * Returns the creations that have a voucher now; the others found every candidate in other hands, or another attempt in
 * their place.
 */
async function recordOnce(ctx: RecordContext, recording: Recording): Promise<RecordedCreation[]> {
  const { site, creationIds, day } = recording
  return ctx.db.transaction(async (tx) => {
    const creations = await lockCreations(tx, site.id, creationIds)
    const before = creations.flatMap((creation) => alreadyRecorded(site.id, creation))
    const open = creations.filter(({ hasNoVoucher }) => hasNoVoucher)
    const { recorded, newCount } = await claimFree(tx, recording, open)
    if (recorded.length === 0) return before
    await updateCreationsRecorded(tx, site.id, recorded)
    if (newCount > 0) await moveSiteDay(tx, site.id, day, { created: newCount })
    await bringSyncForward(tx, site.id, 'used')
    await scheduleEnds(tx, site.id, open, recorded)
    await tellOf(ctx, tx, recording, open, recorded)
    return [...before, ...recorded]
  })
}

function alreadyRecorded(siteId: number, { id, voucherId, answer }: LockedCreation): RecordedCreation[] {
  return voucherId !== null && answer !== null ? [{ creationId: id, siteId, voucherId, answer }] : []
}

/** What has an end is withdrawn then, whatever becomes of anybody here. */
async function scheduleEnds(
  tx: Queryable,
  siteId: number,
  creations: LockedCreation[],
  recorded: RecordedCreation[],
): Promise<void> {
  const endOf = new Map(creations.map(({ id, validUntil }) => [id, validUntil]))
  const ends = recorded.flatMap(({ creationId, voucherId }) => {
    const dueAt = endOf.get(creationId)
    return dueAt ? [{ voucherId, dueAt }] : []
  })
  if (ends.length > 0) await insertScheduledWithdrawals(tx, siteId, ends)
}

/** Those of a batch are told of together, at its end. */
async function tellOf(
  ctx: RecordContext,
  tx: Queryable,
  { site, actor }: Recording,
  creations: LockedCreation[],
  recorded: RecordedCreation[],
): Promise<void> {
  const batchOf = new Map(creations.map(({ id, batchId }) => [id, batchId]))
  const single = recorded.filter(({ creationId }) => batchOf.get(creationId) === null)
  const voucherIds = single.map(({ voucherId }) => voucherId)
  if (voucherIds.length > 0) await notifyCreated(tx, ctx.queue, { site, source: actor.source, voucherIds })
  const batchIds = [...new Set(batchOf.values())].filter((id) => id !== null)
  if (batchIds.length > 0) await wakeBatches(tx, site.id, batchIds)
}
