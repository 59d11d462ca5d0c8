import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Driver } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import type { Queue } from '#queue/queue.ts'
import { limitingActorId, type Maker } from '../actor.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError } from '../errors.ts'
import { rejectIfHeld } from '../hold.queries.ts'
import { onceByKey } from '../idempotency.ts'
import type { IssuingLimits } from '../issuing-limits.ts'
import type { MailServerContext } from '../mail-server/mail-server.ts'
import { toRowMessages } from '../mailing/new-message.ts'
import { requireMail } from '../mailing/request-message.ts'
import { insertRowMessages } from '../messages/messages.queries.ts'
import type { SiteItem } from '../public-id.ts'
import { type CompleteOptions, completeOptions } from '../record/complete-options.ts'
import { countersValue, throwLimitReached } from '../record/issuing-counters.queries.ts'
import { checkBounds, checkLongest, cutMinutes } from '../record/voucher-shape.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import type { BatchRequest, RequestedRow } from './batch.ts'
import { insertBatchRows } from './batch-rows.queries.ts'
import { type DueBatch, findEarlierBatch, findOpenBatchCount, insertBatch, lockBatchesOf } from './batches.queries.ts'

/** A controller makes one batch at a time, so an actor with many open batches would block the batches of others. */
const maxOpen = 100

type BatchContext = MailServerContext & {
  db: Database
  queue: Queue
  controllers: Controllers
  clock: Clock
  today: Calendar
}

/** Commits a batch. The worker makes its vouchers, even if this process ends. */
export async function createBatch(
  ctx: BatchContext,
  request: BatchRequest,
): Promise<{ batch: SiteItem; isRepeat: boolean }> {
  const { result, isRepeat } = await onceByKey(ctx.keyring, request, {
    find: (key) => findEarlierBatch(ctx.db, request.actor, key),
    create: (requestHash) => createFirst(ctx, request, requestHash),
  })
  return { batch: result, isRepeat }
}

/** Undefined when another request with the same Idempotency-Key was faster. */
async function createFirst(
  ctx: BatchContext,
  request: BatchRequest,
  requestHash: Buffer,
): Promise<SiteItem | undefined> {
  const site = await findActiveSite(ctx.db, request.siteId, limitingActorId(request.actor))
  if (!site) throw new DomainError('site_not_found')
  const wanted = await completeOptions(ctx.db, site.id, request.options)
  const driver = ctx.controllers.driverOf(site)
  const now = ctx.clock.now()
  const limits = { driver, issuing: [request.actor.issuing, site], now }
  checkLimits(limits, wanted)
  checkRows(limits, request.rows, wanted)
  if (request.rows.some(({ message }) => message)) await requireMail(ctx, site.id)
  return insert(ctx, site, request, { ...wanted, requestHash })
}

type LimitsToCheck = { driver: Driver; issuing: (IssuingLimits | undefined)[]; now: Date }

function checkLimits({ driver, issuing, now }: LimitsToCheck, wanted: CompleteOptions): void {
  const asked = { ...wanted.limits, name: '' }
  const { shape } = cutMinutes(driver, asked, wanted, now)
  checkBounds(driver, shape, { ...wanted, now })
  checkLongest(issuing, asked, wanted, now)
}

/** The largest number of errors of rows in one answer. */
const maxRowErrors = 50

/** Rejects rows whose own values no voucher can have. The error names the rows. */
function checkRows(limits: LimitsToCheck, rows: RequestedRow[], wanted: CompleteOptions): void {
  const errors: DomainError[] = []
  for (const [row, { maxUses = wanted.limits.maxUses, end }] of rows.entries()) {
    const { expireMinutes, ...ends } = end ?? { ...wanted, expireMinutes: wanted.limits.expireMinutes }
    try {
      checkLimits(limits, { ...wanted, ...ends, limits: { ...wanted.limits, maxUses, expireMinutes } })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      for (const { code, details } of [error, ...error.more])
        errors.push(new DomainError(code, { details: { ...details, row } }))
    }
    if (errors.length >= maxRowErrors) break
  }
  const [first, ...more] = errors
  if (first) throw new DomainError(first.code, { details: first.details, more })
}

async function insert(
  ctx: BatchContext,
  site: SiteOnController,
  { actor, rows: asked, idempotencyKey }: BatchRequest,
  wanted: CompleteOptions & { requestHash: Buffer },
): Promise<SiteItem | undefined> {
  const batch = { siteId: site.id, id: uuidv7() }
  const now = ctx.clock.now()
  const day = ctx.today(now)
  const { rows, messages, counters } = toRowMessages(ctx, asked, { maker: actor, siteId: site.id, now })
  const dated = rows.map((row) => ({ ...row, name: `${day}_${row.name}` }))
  return ctx.db.transaction(async (tx) => {
    await rejectIfHeld(tx)
    await lockBatchesOf(tx, actor)
    if (!(await insertBatch(tx, batch, { ...wanted, maker: actor, idempotencyKey }))) return undefined
    await rejectTooManyBatches(tx, actor)
    await insertBatchRows(tx, batch, dated)
    if (messages.length > 0) {
      const counted = { maker: actor, counters: countersValue(counters) as string }
      await insertRowMessages(tx, site.id, messages, counted).catch(throwLimitReached)
    }
    await enqueueBatch(tx, ctx.queue, { ...batch, controllerId: site.controllerId })
    return batch
  })
}

/** Rolls back a transaction that has opened one batch too many of this actor. The caller holds the lock `lockBatchesOf`. */
export async function rejectTooManyBatches(tx: Queryable, maker: Maker): Promise<void> {
  if ((await findOpenBatchCount(tx, maker, maxOpen + 1)) > maxOpen) throw new DomainError('batches_too_many')
}

/** Enqueues a job that starts the batch at once. Without it the batch would wait for the next sweep. */
export async function enqueueBatch(tx: Queryable, queue: Queue, batch: DueBatch): Promise<void> {
  const { siteId, id, controllerId } = batch
  await queue.enqueue(tx, 'batch', [{ data: { siteId, id, controllerId } satisfies DueBatch, exclusiveKey: id }])
}
