import { type Database, type Queryable, retryShortly } from '#db/database.ts'
import type { ControllerVoucher, VoucherShape } from '#drivers/driver.ts'
import { reachPoint, replaceable } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { type Maker, sourceName } from '../actor.ts'
import { notifyCreated } from '../deliveries/notify-webhooks.ts'
import { bringSyncForward, type SiteOnController } from '../sites/sites.queries.ts'
import type { EventVoucher } from '../webhooks/notification.ts'
import {
  insertScheduledWithdrawals,
  makeWithdrawalsDueNow,
  type ScheduledWithdrawal,
} from '../withdrawals/withdrawals.queries.ts'
import { lockBatch, makeBatchDue } from './batch-lock.queries.ts'
import type { CreatedVoucher, Intent, RecordedCreation } from './creation.ts'
import { insertCreation } from './creations.queries.ts'
import {
  claimVouchers,
  type LockedCreation,
  listHeldVouchers,
  lockCreations,
  type Made,
  recordSingleVoucher,
  type SingleVoucherRecord,
  updateCreationsRecorded,
} from './recording.queries.ts'

type RecordContext = { db: Database; queue: Queue }

/** Creations of one call, with the same name and limits, and the vouchers that a controller may have made for them. */
export type Recording = {
  site: SiteOnController
  creationIds: string[]
  maker: Maker
  batchId: string | null
  /** The most likely first. */
  candidates: ControllerVoucher[]
  /** The requested shape. A controller may round or omit values. */
  asked: VoucherShape
  /** The day for which the vouchers are issued. */
  day: string
  /** The intents of these creations, to be inserted again if a failover of the database lost them. */
  intents?: Intent[]
  /** No webhook was subscribed to the event when the intent was committed. */
  isSilent?: boolean
}

/**
 * Records vouchers for their creations. Commits the vouchers, the outcome of their creations, the day's count, the list's version
 * and the notification together. A commit that only seemed lost is found, not repeated. Returns the creations that have a voucher
 * now. For each other creation, all candidates belong to other creations, or another attempt has replaced it.
 */
export async function recordVouchers(ctx: RecordContext, recording: Recording): Promise<RecordedCreation[]> {
  return retryShortly(async () => {
    const alone = recording.isSilent ? await recordInOneStatement(ctx.db, recording, { onlyIfSilent: true }) : undefined
    return alone ? [alone.recorded] : ctx.db.transaction((tx) => record(ctx, tx, recording))
  })
}

async function record(ctx: RecordContext, tx: Queryable, recording: Recording): Promise<RecordedCreation[]> {
  const { site, batchId } = recording
  const usual = await recordInOneStatement(tx, recording, { onlyIfSilent: false })
  if (usual) {
    const { recorded, reference } = usual
    await notify(ctx, tx, recording, [{ id: recorded.voucherId, reference }])
    return [recorded]
  }
  if (batchId !== null) await lockBatch(tx, { siteId: site.id, id: batchId })
  const creations = await lockOrInsert(tx, recording)
  const recordedBefore = creations.flatMap(({ id, voucherId, answer }) =>
    voucherId !== null && answer !== null ? [{ creationId: id, siteId: site.id, voucherId, answer }] : [],
  )
  const open = creations.filter(({ hasNoVoucher }) => hasNoVoucher)
  const recorded = await claimFree(tx, recording, open)
  if (recorded.length === 0) return recordedBefore
  await updateCreationsRecorded(tx, site.id, recorded)
  await bringSyncForward(tx, site.id, 'used')
  await scheduleEnds(tx, site.id, open, recorded)
  const referenceOf = new Map(open.map(({ id, reference }) => [id, reference]))
  const vouchers = recorded.map(({ creationId, voucherId }) => ({
    id: voucherId,
    reference: referenceOf.get(creationId) ?? null,
  }))
  await notify(ctx, tx, recording, vouchers)
  return [...recordedBefore, ...recorded]
}

/** Undefined when the recording is not the usual one: one creation without a batch, and one free voucher for it. */
async function recordInOneStatement(
  db: Queryable,
  recording: Recording,
  options: { onlyIfSilent: boolean },
): Promise<{ recorded: RecordedCreation; reference: string | null } | undefined> {
  const { site, creationIds, batchId, candidates } = recording
  const [creationId, ...otherIds] = creationIds
  const [voucher, ...otherVouchers] = candidates
  if (batchId !== null || !creationId || !voucher || otherIds.length + otherVouchers.length > 0) return undefined
  const answer = answerOf(recording, voucher)
  const usual: SingleVoucherRecord = { creationId, controllerVoucherId: voucher.id, code: voucher.code, answer }
  const done = await recordSingleVoucher(db, madeOf(recording), usual, options)
  if (!done) return undefined
  const { voucherId, reference } = done
  return { recorded: { creationId, siteId: site.id, voucherId, answer }, reference }
}

function madeOf({ site, maker, asked, day }: Recording): Made {
  return { siteId: site.id, maker, shape: asked, day }
}

function answerOf({ site, asked }: Recording, { code, formattedCode }: ControllerVoucher): CreatedVoucher {
  return { code, formattedCode, site: site.name, maxUses: asked.maxUses, expireMinutes: asked.expireMinutes }
}

/** Locks the creations. Intents that a failover lost are inserted again, because their vouchers exist. */
async function lockOrInsert(tx: Queryable, { site, creationIds, intents = [] }: Recording): Promise<LockedCreation[]> {
  const creations = await lockCreations(tx, site.id, creationIds)
  if (creations.length === creationIds.length || intents.length === 0) return creations
  const known = new Set(creations.map(({ id }) => id))
  const lost = new Set(creationIds.filter((id) => !known.has(id)))
  for (const intent of intents.filter(({ id }) => lost.has(id)))
    if (!(await insertCreation(tx, intent, { isMade: true })))
      await insertCreation(tx, { ...intent, idempotencyKey: undefined }, { isMade: true })
  return lockCreations(tx, site.id, creationIds)
}

/** Gives each of these creations a free candidate, as long as there are any. */
async function claimFree(
  tx: Queryable,
  recording: Recording,
  creations: LockedCreation[],
): Promise<RecordedCreation[]> {
  const { site, candidates } = recording
  const free = await listFree(tx, site.id, candidates)
  const waiting = [...creations]
  const recorded: RecordedCreation[] = []
  while (waiting.length > 0 && free.length > 0) {
    const offered = free.splice(0, waiting.length).map((voucher, i) => pair(waiting[i] as LockedCreation, voucher))
    const claims = offered.map(({ claim }) => claim)
    const claimed = await replaceable('claim vouchers', () => claimVouchers(tx, madeOf(recording), claims), claims)
    for (const { id: voucherId, creationId } of claimed) {
      const { voucher } = offered.find((offer) => offer.claim.id === creationId) as Offer
      recorded.push({ creationId, siteId: site.id, voucherId, answer: answerOf(recording, voucher) })
      waiting.splice(
        waiting.findIndex(({ id }) => id === creationId),
        1,
      )
    }
  }
  return recorded
}

type Offer = ReturnType<typeof pair>

/** A voucher gets the id of its creation, so that it can be referred to before its existence is confirmed. */
function pair(creation: LockedCreation, voucher: ControllerVoucher) {
  const { id, reference, minutesCut, validUntil, unusedDays, batchId } = creation
  const { id: controllerVoucherId, code } = voucher
  const options = { reference, minutesCut, validUntil, unusedDays, batchId }
  return { voucher, claim: { id, controllerVoucherId, code, ...options } }
}

/** The candidates that no creation holds, each once. In a busy second many are held. */
async function listFree(tx: Queryable, siteId: number, candidates: ControllerVoucher[]): Promise<ControllerVoucher[]> {
  const different = [...new Map(candidates.map((voucher) => [voucher.id ?? voucher.code, voucher])).values()]
  if (different.length < 2) return different
  const held = await replaceable('list held vouchers', () => listHeldVouchers(tx, siteId, different))
  const ids = new Set(held.map(({ id }) => id))
  const codesWithoutId = new Set(held.filter(({ id }) => id === null).map(({ code }) => code))
  return different.filter(({ id, code }) => !(id !== null && ids.has(id)) && !codesWithoutId.has(code))
}

/** Schedules the ends that the creation asked for. A voucher that was revoked before it was found is withdrawn at once. */
async function scheduleEnds(
  tx: Queryable,
  siteId: number,
  creations: LockedCreation[],
  recorded: RecordedCreation[],
): Promise<void> {
  const creationOf = new Map(creations.map((creation) => [creation.id, creation]))
  const revokedIds = recorded.map(({ creationId }) => creationId).filter((id) => creationOf.get(id)?.isRevoked)
  const hastened = revokedIds.length > 0 ? await makeWithdrawalsDueNow(tx, siteId, revokedIds) : []
  const ends = recorded.flatMap(({ creationId, voucherId }): ScheduledWithdrawal[] => {
    const { isRevoked, onlyUnused, validUntil, unusedDays } = creationOf.get(creationId) as LockedCreation
    const revoked = isRevoked && !hastened.includes(creationId)
    return [
      ...(revoked ? [{ voucherId, reason: 'request' as const, dueAt: null, onlyUnused }] : []),
      ...(validUntil ? [{ voucherId, reason: 'valid_until' as const, dueAt: validUntil }] : []),
      ...(unusedDays ? [{ voucherId, reason: 'unused' as const, dueInDays: unusedDays, onlyUnused: true }] : []),
    ]
  })
  if (ends.length > 0) await insertScheduledWithdrawals(tx, siteId, ends)
}

/** The vouchers of a batch are notified together, when it is finished. */
async function notify(
  ctx: RecordContext,
  tx: Queryable,
  { site, maker, batchId }: Recording,
  vouchers: EventVoucher[],
): Promise<void> {
  const created = { site, source: sourceName(maker), vouchers }
  await replaceable('notify in the same commit', () =>
    batchId === null ? notifyCreated(tx, ctx.queue, created) : makeBatchDue(tx, site.id, batchId),
  )
  reachPoint('before commit')
}
