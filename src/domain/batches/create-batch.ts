import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError } from '../errors.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import { checkBounds } from '../vouchers/check-bounds.ts'
import { actorId, hashOf } from '../vouchers/creation.ts'
import { endingBy } from '../vouchers/latest-end.ts'
import type { BatchKey, BatchRequest } from './batch.ts'
import { insertBatchRows } from './batch-rows.queries.ts'
import { findBatchByKey, findOpenBatchCount, insertBatch } from './batches.queries.ts'
import { enqueueBatches } from './enqueue-batches.ts'

type CreateBatchContext = { db: Database; queue: Queue; controllers: Controllers; today: (at: Date) => string }

/** One controller makes one batch at a time: a key that asks for more without end would leave the others no turn. */
const maxOpen = 100

/** Takes a batch in: its vouchers are made from now on, whatever becomes of this process. */
export async function createBatch(
  ctx: CreateBatchContext,
  request: BatchRequest,
): Promise<{ batch: BatchKey; replayed: boolean }> {
  const known = await findKnown(ctx, request)
  if (known) return { batch: known, replayed: true }
  const { actor, siteId, names, limits, validUntil } = request
  const site = await findActiveSite(ctx.db, siteId, actor.allSites ? null : actor.apiKeyId)
  if (!site) throw new DomainError('site_not_found')
  if ((await findOpenBatchCount(ctx.db, actor.apiKeyId, maxOpen)) >= maxOpen) throw new DomainError('batches_too_many')
  const now = new Date()
  const driver = ctx.controllers.driverOf(site)
  checkBounds(driver, endingBy(driver, { ...limits, name: '' }, validUntil, now))
  const day = ctx.today(now)
  const batch = { siteId, id: uuidv7() }
  const storedNames = names.map((name) => `${day}_${name}`)
  if (await insert(ctx, site, batch, request, storedNames)) return { batch, replayed: false }
  const faster = await findKnown(ctx, request) // another attempt was faster by a moment
  if (!faster) throw new DomainError('idempotency_in_progress')
  return { batch: faster, replayed: true }
}

async function findKnown(ctx: CreateBatchContext, request: BatchRequest): Promise<BatchKey | undefined> {
  if (request.idempotencyKey === undefined) return undefined
  const known = await findBatchByKey(ctx.db, actorId(request.actor), request.idempotencyKey)
  if (known && !known.requestHash.equals(batchHash(request))) throw new DomainError('idempotency_mismatch')
  return known
}

function insert(
  ctx: CreateBatchContext,
  site: SiteOnController,
  batch: BatchKey,
  request: BatchRequest,
  storedNames: string[],
): Promise<boolean> {
  const { actor, names: _, ...asked } = request
  const row = { ...asked, actor: actorId(actor), apiKeyId: actor.apiKeyId, requestHash: batchHash(request) }
  return ctx.db.transaction(async (tx) => {
    if (!(await insertBatch(tx, batch.id, row))) return false
    await insertBatchRows(tx, batch, storedNames)
    await enqueueBatches(tx, ctx.queue, [{ ...batch, controllerId: site.controllerId }])
    return true
  })
}

function batchHash({ siteId, names, limits, reference, validUntil }: BatchRequest): Buffer {
  const { maxUses, expireMinutes, downKbps, upKbps, quotaMb } = limits
  return hashOf([siteId, names, maxUses, expireMinutes, downKbps, upKbps, quotaMb, reference, validUntil])
}
