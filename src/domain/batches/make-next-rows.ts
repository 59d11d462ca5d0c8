import { v7 as uuidv7 } from 'uuid'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError } from '../errors.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { hashOf, type Intent } from '../vouchers/creation.ts'
import { endingBy } from '../vouchers/latest-end.ts'
import { makeVouchers } from '../vouchers/make-vouchers.ts'
import { noteFor } from '../vouchers/voucher-note.ts'
import { lockBatch } from '../vouchers/wake-batches.queries.ts'
import type { Batch, BatchContext } from './batch.ts'
import { updateRowsFailed, updateRowsWaiting } from './batch-rows.queries.ts'
import { listNextRows, sendRows } from './rows-to-make.queries.ts'

/** `held up`: nothing was made, and the controller is to be left alone for a while. `busy`: others are at work on it. */
type Outcome = 'made' | 'failed' | 'unclear' | 'held up' | 'busy'

/** Asks for the next rows of the same name in one call. */
export async function makeNextRows(ctx: BatchContext, batch: Batch, site: SiteOnController): Promise<Outcome> {
  let intents: Intent[] = []
  try {
    return await ctx.controllers.inBulk(site.controllerId, async () => {
      const connection = ctx.controllers.connectionOf(site)
      if (batch.heldUpSince) await connection.probe(site.controllerSite)
      intents = await send(ctx, batch, site)
      if (intents.length === 0) return 'failed' // cancelled in this moment
      const actor = { apiKeyId: batch.apiKeyId, allSites: true, source: batch.sourceName }
      await makeVouchers(ctx, { site, intents, actor, day: ctx.today(ctx.clock.now()) })
      return 'made'
    })
  } catch (error) {
    const creationIds = intents.map(({ id }) => id)
    return noteFailure(ctx, batch, creationIds, error)
  }
}

/** Commits the intents. */
async function send(ctx: BatchContext, batch: Batch, site: SiteOnController): Promise<Intent[]> {
  const rows = await listNextRows(ctx.db, batch)
  const wanted = { ...batch.limits, name: rows[0]?.name ?? '' }
  const shape = endingBy(ctx.controllers.driverOf(site), wanted, batch.validUntil, ctx.clock.now())
  const asked = {
    shape,
    note: noteFor(site, shape.name),
    controllerAheadMs: ctx.controllers.connectionOf(site).clockAheadMs(),
  }
  const numbered = rows.map(({ number }) => ({ number, creationId: uuidv7() }))
  const sent = await ctx.db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    return sendRows(tx, batch, asked, numbered)
  })
  const { siteId, id: batchId, actor, apiKeyId, reference, validUntil } = batch
  const common = { siteId, batchId, actor, apiKeyId, reference, validUntil, ...asked }
  const requestHash = hashOf(batchId)
  return sent.map(({ creationId: id }) => ({ ...common, id, idempotencyKey: undefined, requestHash }))
}

/** Failures that affect all remaining rows, whatever their names. */
const lasting: Failure[] = ['insecure', 'sign_in', 'forbidden', 'missing']

/** A failure that lies neither in these rows nor in all of them is temporary: the rows wait and are retried. */
async function noteFailure(ctx: BatchContext, batch: Batch, creationIds: string[], error: unknown): Promise<Outcome> {
  if (error instanceof DomainError) return noteRefusal(ctx, batch, error)
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
    return 'held up'
  }
  await updateRowsFailed(ctx.db, batch, error.failure, creationIds)
  if (isLasting) await updateRowsFailed(ctx.db, batch, error.failure)
  return 'failed'
}

async function noteRefusal(ctx: BatchContext, batch: Batch, { code }: DomainError): Promise<Outcome> {
  if (code === 'controller_busy') return 'busy'
  if (code === 'no_voucher') return 'unclear'
  await updateRowsFailed(ctx.db, batch, code === 'controller_refused' ? 'sign_in' : code)
  return 'failed'
}
