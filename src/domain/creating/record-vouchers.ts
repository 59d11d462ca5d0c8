import { type Database, type Queryable, retryShortly } from '#db/database.ts'
import type { ControllerVoucher, VoucherShape } from '#drivers/driver.ts'
import { reachPoint } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { type Maker, sourceName } from '../actor.ts'
import { lockBatch, makeBatchDue } from '../batches/batch-lock.queries.ts'
import { notifyCreated } from '../deliveries/notify-webhooks.ts'
import type { CreatedVoucher, NewCreation, RecordedCreation } from '../record/creation.ts'
import { insertCreation } from '../record/creations.queries.ts'
import { type OfferedCreation, recordOfferedVouchers } from '../record/record-vouchers.queries.ts'
import { insertScheduledWithdrawals, makeWithdrawalsDueNow } from '../record/withdrawals.queries.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'

type RecordContext = { db: Database; queue: Queue }

/** Creations of one call, with the same name and limits, and the vouchers that a controller may have made for them. */
export type CreationsToRecord = {
  site: SiteOnController
  creationIds: string[]
  maker: Maker
  batchId: string | null
  /** The most likely first. */
  candidates: ControllerVoucher[]
  /** The requested shape. A controller may round or omit values. */
  asked: VoucherShape
  /** The day of issue, for the counts of the day. */
  day: string
  /** These creations as they were committed, to be inserted again if a failover of the database lost them. */
  newCreations?: NewCreation[]
  /** No webhook was subscribed to the event when the creation was committed. */
  isSilent?: boolean
}

/**
 * Records vouchers for their creations. Commits the vouchers, the outcome of their creations, the day's count, the list's version
 * and the notification together. If an earlier commit succeeded but its answer was lost, returns that result. Returns the
 * creations that have a voucher now. A creation is left out if all candidates belong to other creations, or if its client has
 * begun another attempt.
 */
export async function recordVouchers(ctx: RecordContext, recording: CreationsToRecord): Promise<RecordedCreation[]> {
  return retryShortly(async () => {
    if (recording.isSilent && recording.batchId === null) {
      const creations = await record(ctx.db, recording, { isWholeCommit: true, isFirstTry: true })
      if (creations.length === recording.creationIds.length && !creations.some(isTaken))
        return creations.flatMap(withVoucher(recording))
    }
    return ctx.db.transaction((tx) => recordInTransaction(ctx, tx, recording))
  })
}

async function recordInTransaction(
  ctx: RecordContext,
  tx: Queryable,
  recording: CreationsToRecord,
): Promise<RecordedCreation[]> {
  const { site, batchId } = recording
  if (batchId !== null) await lockBatch(tx, { siteId: site.id, id: batchId })
  let creations = await record(tx, recording, { isFirstTry: true })
  const recorded = creations.filter(isRecordedNow)
  const lost = listLost(recording, creations)
  await insertLost(tx, lost)
  // The repeat records the creations that were lost, and replaces vouchers that another process took at this moment.
  for (let isAgain = lost.length > 0; isAgain || creations.some(isTaken); isAgain = false) {
    creations = await record(tx, recording)
    recorded.push(...creations.filter(isRecordedNow))
  }
  if (recorded.length > 0) {
    await withdrawRevoked(tx, site.id, recorded)
    await notify(ctx, tx, recording, recorded)
  }
  return creations.flatMap(withVoucher(recording))
}

const isRecordedNow = ({ outcome }: OfferedCreation) => outcome === 'recorded'
const isTaken = ({ outcome }: OfferedCreation) => outcome === 'taken'

/** Returns a function that turns a creation with a voucher into a `RecordedCreation`, and leaves out the others. */
function withVoucher({ site }: CreationsToRecord): (creation: OfferedCreation) => RecordedCreation[] {
  return ({ id, voucherId, answer }) =>
    voucherId !== null && answer !== null ? [{ creationId: id, siteId: site.id, voucherId, answer }] : []
}

/** `isFirstTry`: nothing is known yet about the vouchers that are offered. */
function record(
  db: Queryable,
  recording: CreationsToRecord,
  { isWholeCommit = false, isFirstTry = false } = {},
): Promise<OfferedCreation[]> {
  const { site, maker, asked, day, creationIds, candidates } = recording
  const different = [...new Map(candidates.map((voucher) => [voucher.id ?? voucher.code, voucher])).values()]
  const offered = different.map(({ id, code, formattedCode }) => {
    const { maxUses, expireMinutes } = asked
    const answer: CreatedVoucher = { code, formattedCode, site: site.name, maxUses, expireMinutes }
    return { id, code, answer }
  })
  const shared = { siteId: site.id, maker, shape: asked, day }
  const isOne = creationIds.length === 1 && offered.length === 1
  const options = { isWholeCommit, isFirstTry: isFirstTry && isOne }
  return recordOfferedVouchers(db, shared, creationIds, offered, options)
}

/** Creations that a failover of the database lost. Their vouchers exist. */
function listLost({ newCreations = [] }: CreationsToRecord, creations: OfferedCreation[]): NewCreation[] {
  const known = new Set(creations.map(({ id }) => id))
  return newCreations.filter(({ id }) => !known.has(id))
}

async function insertLost(tx: Queryable, lost: NewCreation[]): Promise<void> {
  for (const creation of lost)
    if (!(await insertCreation(tx, creation, { isMade: true })))
      await insertCreation(tx, { ...creation, idempotencyKey: undefined }, { isMade: true })
}

/** A voucher whose creation was revoked before it was found is withdrawn at once. */
async function withdrawRevoked(tx: Queryable, siteId: number, recorded: OfferedCreation[]): Promise<void> {
  const revoked = recorded.filter(({ isRevoked }) => isRevoked)
  if (revoked.length === 0) return
  const creationIds = revoked.map(({ id }) => id)
  const scheduled = new Set(await makeWithdrawalsDueNow(tx, siteId, creationIds))
  const missing = revoked.filter(({ id }) => !scheduled.has(id))
  const due = missing.map(({ voucherId, onlyUnused }) => ({
    voucherId: voucherId as string,
    reason: 'request' as const,
    onlyUnused,
  }))
  if (due.length > 0) await insertScheduledWithdrawals(tx, siteId, due)
}

/** The vouchers of a batch are notified together, when it is finished. */
async function notify(
  ctx: RecordContext,
  tx: Queryable,
  { site, maker, batchId }: CreationsToRecord,
  recorded: OfferedCreation[],
): Promise<void> {
  const vouchers = recorded.map(({ voucherId, reference }) => ({ id: voucherId as string, reference }))
  const created = { site, source: sourceName(maker), vouchers }
  if (batchId === null) await notifyCreated(tx, ctx.queue, created)
  else await makeBatchDue(tx, site.id, batchId)
  reachPoint('before commit')
}
