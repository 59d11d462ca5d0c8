import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Queryable } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { DomainError } from '../errors.ts'
import { notifyCreated } from '../notifications/notify-created.ts'
import { moveSiteDay } from '../sites/site-days.queries.ts'
import { bringSyncForward } from '../sites/sync-times.queries.ts'
import {
  hastenWithdrawals,
  insertScheduledWithdrawals,
  type ScheduledWithdrawal,
} from '../withdrawals/withdrawals.queries.ts'
import { claimFree } from './claim-free.ts'
import type { RecordedCreation } from './creation.ts'
import { insertCreation, type LockedCreation, lockCreations, updateCreationsRecorded } from './creations.queries.ts'
import type { Recording } from './recording.ts'
import { lockBatch, wakeBatch } from './wake-batches.queries.ts'

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
  const { site, day, batchId } = recording
  return ctx.db.transaction(async (tx) => {
    if (batchId !== null) await lockBatch(tx, { siteId: site.id, id: batchId })
    const creations = await lockOrInsert(tx, recording)
    const before = creations.flatMap((creation) => alreadyRecorded(site.id, creation))
    const open = creations.filter(({ hasNoVoucher }) => hasNoVoucher)
    const recorded = await claimFree(tx, recording, open)
    if (recorded.length === 0) return before
    await updateCreationsRecorded(tx, site.id, recorded)
    await moveSiteDay(tx, site.id, day, { created: recorded.length })
    await bringSyncForward(tx, site.id, 'used')
    await scheduleEnds(tx, site.id, open, recorded)
    await tellOf(ctx, tx, recording, recorded)
    reachPoint('before commit')
    return [...before, ...recorded]
  })
}

/** Intents that are gone were lost with a failover; their vouchers exist, so they are inserted again. */
async function lockOrInsert(tx: Queryable, { site, creationIds, intents = [] }: Recording): Promise<LockedCreation[]> {
  const creations = await lockCreations(tx, site.id, creationIds)
  if (creations.length === creationIds.length || intents.length === 0) return creations
  const known = new Set(creations.map(({ id }) => id))
  const lost = new Set(creationIds.filter((id) => !known.has(id)))
  for (const intent of intents.filter(({ id }) => lost.has(id)))
    if (!(await insertCreation(tx, intent))) await insertCreation(tx, { ...intent, idempotencyKey: undefined })
  return lockCreations(tx, site.id, creationIds)
}

function alreadyRecorded(siteId: number, { id, voucherId, answer }: LockedCreation): RecordedCreation[] {
  return voucherId !== null && answer !== null ? [{ creationId: id, siteId, voucherId, answer }] : []
}

/** A voucher with an end is withdrawn then; one that was revoked before it was found is withdrawn at once. */
async function scheduleEnds(
  tx: Queryable,
  siteId: number,
  creations: LockedCreation[],
  recorded: RecordedCreation[],
): Promise<void> {
  const creationOf = new Map(creations.map((creation) => [creation.id, creation]))
  const revokedIds = recorded.map(({ creationId }) => creationId).filter((id) => creationOf.get(id)?.isRevoked)
  const hastened = revokedIds.length > 0 ? await hastenWithdrawals(tx, siteId, revokedIds) : []
  const ends = recorded.flatMap(({ creationId, voucherId }): ScheduledWithdrawal[] => {
    const { isRevoked, validUntil } = creationOf.get(creationId) as LockedCreation
    if (isRevoked) return hastened.includes(creationId) ? [] : [{ voucherId, dueAt: null }]
    return validUntil ? [{ voucherId, dueAt: validUntil }] : []
  })
  if (ends.length > 0) await insertScheduledWithdrawals(tx, siteId, ends)
}

/** Those of a batch are told of together, at its end. */
async function tellOf(
  ctx: RecordContext,
  tx: Queryable,
  { site, actor, batchId }: Recording,
  recorded: RecordedCreation[],
): Promise<void> {
  const voucherIds = recorded.map(({ voucherId }) => voucherId)
  if (batchId === null) await notifyCreated(tx, ctx.queue, { site, source: actor.source, voucherIds })
  else await wakeBatch(tx, site.id, batchId)
}
