import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Clock } from '#lib/clock.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError } from '../errors.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import { checkBounds } from '../vouchers/check-bounds.ts'
import { actorId, hashOf } from '../vouchers/creation.ts'
import { endingBy } from '../vouchers/latest-end.ts'
import type { BatchKey, BatchRequest, WantedBatch } from './batch.ts'
import { insertBatchRows } from './batch-rows.queries.ts'
import { findBatchByKey, findOpenBatchCount, insertBatch, lockBatchesOfKey } from './batches.queries.ts'
import { enqueueBatches } from './enqueue-batches.ts'

type CreateBatchContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  clock: Clock
  today: (at: Date) => string
}

/** One controller makes one batch at a time: a key that asks for more without end would leave the others no turn. */
const maxOpen = 100

/** Takes a batch in: its vouchers are made from now on, whatever becomes of this process. */
export async function createBatch(
  ctx: CreateBatchContext,
  request: BatchRequest,
): Promise<{ batch: BatchKey; replayed: boolean }> {
  const known = await findKnown(ctx, request)
  if (known) return { batch: known, replayed: true }
  const { actor, siteId } = request
  const site = await findActiveSite(ctx.db, siteId, actor.allSites ? null : actor.apiKeyId)
  if (!site) throw new DomainError('site_not_found')
  const wanted = await request.readWanted()
  const driver = ctx.controllers.driverOf(site)
  checkBounds(driver, endingBy(driver, { ...wanted.limits, name: '' }, wanted.validUntil, ctx.clock.now()))
  const batch = { siteId, id: uuidv7() }
  if (await insert(ctx, site, batch, request, wanted)) return { batch, replayed: false }
  const faster = await findKnown(ctx, request) // another attempt was faster by a moment
  if (!faster) throw new DomainError('idempotency_in_progress')
  return { batch: faster, replayed: true }
}

async function findKnown(ctx: CreateBatchContext, request: BatchRequest): Promise<BatchKey | undefined> {
  if (request.idempotencyKey === undefined) return undefined
  const known = await findBatchByKey(ctx.db, actorId(request.actor), request.idempotencyKey)
  if (known && !known.requestHash.equals(hashOf(request.contents))) throw new DomainError('idempotency_mismatch')
  return known
}

/** False when this Idempotency-Key stands on another batch. */
function insert(
  ctx: CreateBatchContext,
  site: SiteOnController,
  batch: BatchKey,
  request: BatchRequest,
  wanted: WantedBatch,
): Promise<boolean> {
  const { actor, names, idempotencyKey, contents } = request
  const { apiKeyId } = actor
  const day = ctx.today(ctx.clock.now())
  return ctx.db.transaction(async (tx) => {
    await lockBatchesOfKey(tx, apiKeyId)
    const row = { ...wanted, siteId: site.id, actor: actorId(actor), apiKeyId, idempotencyKey }
    if (!(await insertBatch(tx, batch.id, { ...row, requestHash: hashOf(contents) }))) return false
    if ((await findOpenBatchCount(tx, apiKeyId, maxOpen + 1)) > maxOpen) throw new DomainError('batches_too_many')
    await insertBatchRows(
      tx,
      batch,
      names.map((name) => `${day}_${name}`),
    )
    await enqueueBatches(tx, ctx.queue, [{ ...batch, controllerId: site.controllerId }])
    return true
  })
}
