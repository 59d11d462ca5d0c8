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
import type { SiteItem } from '../public-id.ts'
import { type CompleteOptions, completeOptions } from '../record/complete-options.ts'
import { checkBounds, cutMinutes } from '../record/voucher-shape.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import type { BatchRequest, RequestedRow } from './batch.ts'
import { insertBatchRows } from './batch-rows.queries.ts'
import { type DueBatch, findEarlierBatch, findOpenBatchCount, insertBatch, lockBatchesOf } from './batches.queries.ts'

/** A controller makes one batch at a time, so an actor with many open batches would block the batches of others. */
const maxOpen = 100

type BatchContext = { db: Database; queue: Queue; controllers: Controllers; clock: Clock; today: Calendar }

/** Commits a batch. The worker makes its vouchers, even if this process ends. */
export async function createBatch(
  ctx: BatchContext,
  request: BatchRequest,
): Promise<{ batch: SiteItem; isRepeat: boolean }> {
  const { result, isRepeat } = await onceByKey(request, {
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
  checkLimits(driver, wanted, now)
  checkRows(driver, request.rows, wanted, now)
  return insert(ctx, site, request, { ...wanted, requestHash })
}

function checkLimits(driver: Driver, wanted: CompleteOptions, now: Date): void {
  const { shape } = cutMinutes(driver, { ...wanted.limits, name: '' }, wanted, now)
  checkBounds(driver, shape, { ...wanted, now })
}

/** The largest number of errors of rows in one answer. */
const maxRowErrors = 50

/** Rejects rows whose own values no voucher can have. The error names the rows. */
function checkRows(driver: Driver, rows: RequestedRow[], wanted: CompleteOptions, now: Date): void {
  const errors: DomainError[] = []
  for (const [row, { maxUses = wanted.limits.maxUses, end }] of rows.entries()) {
    const { expireMinutes, ...ends } = end ?? { ...wanted, expireMinutes: wanted.limits.expireMinutes }
    try {
      checkLimits(driver, { ...wanted, ...ends, limits: { ...wanted.limits, maxUses, expireMinutes } }, now)
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
  { actor, rows, idempotencyKey }: BatchRequest,
  wanted: CompleteOptions & { requestHash: Buffer },
): Promise<SiteItem | undefined> {
  const batch = { siteId: site.id, id: uuidv7() }
  const day = ctx.today(ctx.clock.now())
  return ctx.db.transaction(async (tx) => {
    await rejectIfHeld(tx)
    await lockBatchesOf(tx, actor)
    if (!(await insertBatch(tx, batch, { ...wanted, maker: actor, idempotencyKey }))) return undefined
    await rejectTooManyBatches(tx, actor)
    const dated = rows.map((row) => ({ ...row, name: `${day}_${row.name}` }))
    await insertBatchRows(tx, batch, dated)
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
