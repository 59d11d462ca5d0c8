import { v7 as uuidv7 } from 'uuid'
import { Unavailable } from '#db/database.ts'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import { reachPoint } from '#lib/points.ts'
import type { Batch } from '../batches/batch.ts'
import { lockBatch } from '../batches/batch-lock.queries.ts'
import { updateEndedRowsFailed, updateRowsFailed, updateRowsWaiting } from '../batches/batch-rows.queries.ts'
import { listNextRows, sendRows } from '../batches/rows-to-make.queries.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { DomainError } from '../errors.ts'
import { hashOf } from '../idempotency.ts'
import type { NewCreation } from '../record/creation.ts'
import { issuingCountersFor } from '../record/issuing-counters.ts'
import { cutMinutes, minMinutesLeft, noteFor } from '../record/voucher-shape.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { type CreateContext, makeVouchers } from './create-voucher.ts'

/** `stalled`: nothing was made, and the controller gets a pause. `busy`: all slots of the controller are taken. */
type Outcome = 'made' | 'failed' | 'unclear' | 'stalled' | 'busy'

/** Makes the next rows with the same name and limits in one call. */
export async function makeNextRows(ctx: CreateContext, batch: Batch, site: SiteOnController): Promise<Outcome> {
  let creations: NewCreation[] = []
  try {
    return await ctx.controllers.inBulk(site.controllerId, async () => {
      const connection = ctx.controllers.connectionOf(site)
      if (batch.stalledSince) await connection.probe(site.controllerSite)
      creations = await send(ctx, batch, site)
      if (creations.length === 0) return 'failed' // the rows were cancelled meanwhile, or the service is held
      await makeVouchers(ctx, site, creations)
      reachPoint('before row update')
      return 'made'
    })
  } catch (error) {
    const creationIds = creations.map(({ id }) => id)
    return markRowsAfterFailure(ctx, batch, creationIds, error)
  }
}

/** Commits the creations of the next rows. If a limit does not accept all of them, the rest of the batch fails. */
async function send(ctx: CreateContext, batch: Batch, site: SiteOnController): Promise<NewCreation[]> {
  const rows = await listNextRows(ctx.db, batch)
  const [first] = rows
  if (!first) return []
  const { name, maxUses, expireMinutes, validUntil } = first
  const wanted = { ...batch.limits, name, maxUses, expireMinutes }
  const now = ctx.clock.now()
  const { shape, minutesCut } = cutMinutes(ctx.controllers.driverOf(site), wanted, first, now)
  const asked = {
    shape,
    minutesCut,
    note: noteFor(site, shape.name),
    controllerAheadMs: ctx.controllers.connectionOf(site).clockAheadMs(),
    issuingCounters: issuingCountersFor({ ...batch.maker, issuing: batch.makerLimits }, site, ctx.today, now),
  }
  const numbered = rows.map(({ number }) => ({ number, creationId: uuidv7() }))
  const { sent, isLimited } = await ctx.db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    return sendRows(tx, batch, asked, numbered)
  })
  if (isLimited) await updateRowsFailed(ctx.db, batch, 'limit_reached')
  const { siteId, id: batchId, maker, unusedDays } = batch
  const common = { siteId, batchId, maker, validUntil, unusedDays, ...asked, idempotencyKey: undefined, message: null }
  const requestHash = hashOf(batchId)
  const references = new Map(rows.map(({ number, reference }) => [number, reference]))
  return sent.map(({ number, creationId: id }) => {
    const reference = references.get(number) ?? null
    return { ...common, id, reference, requestHash }
  })
}

/** Failures that affect all remaining rows, whatever their names. */
const lasting: Failure[] = ['insecure', 'sign_in', 'forbidden', 'missing']

/**
 * Marks rows after a failed call: only these rows, or all remaining rows if the failure is lasting. Any other failure is
 * temporary: the rows wait and are retried.
 */
async function markRowsAfterFailure(
  ctx: CreateContext,
  batch: Batch,
  creationIds: string[],
  error: unknown,
): Promise<Outcome> {
  if (error instanceof DomainError) return markRowsAfterRefusal(ctx, batch, error)
  if (!(error instanceof ControllerError)) throw error
  if (error.cause instanceof Unavailable) throw error
  const wasSent = creationIds.length > 0
  if (error.outcome === 'unknown' && wasSent) return 'unclear'
  const isLasting = lasting.includes(error.failure)
  if (!isLasting && !(error.failure === 'rejected' && wasSent)) {
    await ctx.db.transaction(async (tx) => {
      await lockBatch(tx, batch)
      await updateRowsWaiting(tx, batch, creationIds)
    })
    return 'stalled'
  }
  await updateRowsFailed(ctx.db, batch, error.failure, creationIds)
  if (isLasting) await updateRowsFailed(ctx.db, batch, error.failure)
  return 'failed'
}

async function markRowsAfterRefusal(ctx: CreateContext, batch: Batch, refusal: DomainError): Promise<Outcome> {
  const { code } = refusal
  if (code === 'controller_busy') return 'busy'
  if (code === 'no_voucher') return 'unclear'
  if (code === 'valid_until_passed')
    await updateEndedRowsFailed(ctx.db, batch, code, new Date(ctx.clock.now().getTime() + minMinutesLeft * 60_000))
  else await updateRowsFailed(ctx.db, batch, controllerFailure(refusal) ?? code)
  return 'failed'
}
