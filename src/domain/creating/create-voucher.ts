import { v7 as uuidv7 } from 'uuid'
import { Unavailable } from '#db/database.ts'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import { reachPoint, replaceable } from '#lib/points.ts'
import { limitedTo } from '../actor.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { measureStampSkew } from '../controllers/controllers.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { onceByKey } from '../idempotency.ts'
import { noteFailure, type OutageContext } from '../outages/track-outages.ts'
import { bringSyncForward, findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import type { CreationRequest, Intent, RecordedCreation } from './creation.ts'
import {
  findEarlierCreation,
  insertCreation,
  releaseIdempotencyKey,
  updateCreationSent,
  updateCreationsFailed,
} from './creations.queries.ts'
import { recordVouchers } from './record-vouchers.ts'
import { checkBounds, cutMinutes, noteFor } from './voucher-shape.ts'

/** Options of a creation without a reference and without an end. */
export const noOptions = { reference: null, validUntil: null, extendableUntil: null, unusedDays: null }

export type CreateContext = OutageContext & { clock: Clock; today: Calendar }

/** Creates one voucher on the site's controller and records it. Never calls the controller twice for one creation. */
export async function createVoucher(
  ctx: CreateContext,
  request: CreationRequest,
): Promise<{ created: RecordedCreation; isRepeat: boolean }> {
  const { result, isRepeat } = await onceByKey(request, {
    find: (key) => findEarlierCreation(ctx.db, request.actor, key),
    create: (requestHash) => createFirst(ctx, request, requestHash),
  })
  return { created: result, isRepeat }
}

/** Undefined when another request with the same Idempotency-Key was faster. */
async function createFirst(
  ctx: CreateContext,
  request: CreationRequest,
  requestHash: Buffer,
): Promise<RecordedCreation | undefined> {
  const site = await findActiveSite(ctx.db, request.siteId, limitedTo(request.actor))
  if (!site) throw new DomainError('site_not_found')
  const intent = await toIntent(ctx, site, request, requestHash)
  // The intent is committed before the wait for a slot, so that a revocation during the wait covers it.
  if (!(await openCreation(ctx, intent))) return undefined
  reachPoint('after intent')
  let isSent = false
  try {
    return await ctx.controllers.inSlot(site.controllerId, async (waited) => {
      const current = waited ? await updateCreationSent(ctx.db, intent, limitedTo(request.actor)) : site
      if (!current) throw new DomainError('site_not_found')
      isSent = true
      const [recorded] = await makeVouchers(ctx, current, [intent])
      return recorded as RecordedCreation
    })
  } catch (error) {
    if (!isSent) await updateCreationsFailed(ctx.db, site.id, [intent.id], 'rejected')
    throw toDomainError(error, site)
  }
}

async function toIntent(
  ctx: CreateContext,
  site: SiteOnController,
  request: CreationRequest,
  requestHash: Buffer,
): Promise<Intent> {
  const { shape: wanted, extendableUntil, ...options } = await request.readWanted()
  const now = ctx.clock.now()
  const driver = ctx.controllers.driverOf(site)
  const dated = { ...wanted, name: `${ctx.today(now)}_${wanted.name}` }
  const { shape, minutesCut } = cutMinutes(driver, dated, { ...options, extendableUntil }, now)
  checkBounds(driver, shape)
  return {
    siteId: site.id,
    id: uuidv7(),
    maker: request.actor,
    idempotencyKey: request.idempotencyKey,
    requestHash,
    shape,
    minutesCut,
    note: noteFor(site, shape.name),
    controllerAheadMs: ctx.controllers.connectionOf(site).clockAheadMs(), // throws when there are no credentials
    ...options,
    batchId: null,
  }
}

/**
 * Commits the intent. An earlier attempt with the same Idempotency-Key that made nothing keeps its own row, because its voucher
 * might still turn up. False when the key belongs to a creation that is under way or recorded.
 */
async function openCreation({ db }: CreateContext, intent: Intent): Promise<boolean> {
  if (await replaceable('insert intent', () => insertCreation(db, intent))) return true
  return db.transaction(async (tx) => {
    await releaseIdempotencyKey(tx, intent)
    return insertCreation(tx, intent)
  })
}

/**
 * Calls the controller once for the vouchers of these committed intents, which ask for the same, and records them. If that fails,
 * marks the intents without a voucher as rejected, or as unknown if the controller may have made something.
 */
export async function makeVouchers(
  ctx: CreateContext,
  site: SiteOnController,
  intents: Intent[],
): Promise<RecordedCreation[]> {
  const { shape: asked, note, maker, batchId } = intents[0] as Intent
  const askedAt = ctx.clock.now()
  const day = ctx.today(askedAt)
  const recorded: RecordedCreation[] = []
  let left = intents.map(({ id }) => id)
  try {
    const made = ctx.controllers
      .connectionOf(site)
      .create(site.controllerSite, { ...asked, name: note }, intents.length)
    for await (const candidates of made) {
      reachPoint('after answer')
      const recording = { site, creationIds: left, maker, batchId, candidates, asked, day, intents }
      recorded.push(...(await recordVouchers(ctx, recording)))
      reachPoint('after commit')
      await measureStampSkew(ctx, site, candidates[0], askedAt)
      const done = new Set(recorded.map(({ creationId }) => creationId))
      left = left.filter((id) => !done.has(id))
      if (left.length === 0) return recorded
    }
    throw new DomainError('no_voucher')
  } catch (error) {
    await markFailed(ctx, site.id, left, error)
    const failure = controllerFailure(error)
    if (failure) noteFailure(ctx, site, failure).catch(() => {}) // nobody waits for it, and the next failure notes it too
    throw error
  }
}

/** A definite rejection is settled at once. After any other failure the vouchers are looked up on the controller. */
async function markFailed(ctx: CreateContext, siteId: number, ids: string[], error: unknown): Promise<void> {
  const nothingMade = error instanceof ControllerError && error.outcome === 'refused'
  try {
    await updateCreationsFailed(ctx.db, siteId, ids, nothingMade ? 'rejected' : 'unknown')
    await bringSyncForward(ctx.db, siteId, 'failed')
  } catch (err) {
    // The lookup starts when their lease runs out.
    ctx.log.warn({ err, creations: ids.slice(0, 3) }, 'failed creations could not be marked')
  }
}

/** Error codes by failure: first if certainly no voucher was made, then if this is not known. */
const rejected: Partial<Record<Failure, ErrorCode>> = {
  unreachable: 'controller_unreachable',
  timeout: 'controller_unreachable',
  busy: 'controller_busy',
}
const unknown: Partial<Record<Failure, ErrorCode>> = { timeout: 'controller_timeout', no_voucher: 'no_voucher' }

/** The details name the controller in the log. */
function toDomainError(error: unknown, site: SiteOnController): DomainError {
  const details = { site: site.id, controller: site.controllerId }
  if (error instanceof DomainError) return error
  if (!(error instanceof ControllerError)) return new DomainError('recording_failed', { cause: error, details })
  if (error.cause instanceof Unavailable) return new DomainError('store_unavailable', { cause: error, details })
  const { outcome, failure } = error
  const code =
    outcome === 'refused' ? (rejected[failure] ?? 'controller_refused') : (unknown[failure] ?? 'controller_failed')
  return new DomainError(code, { cause: error, details })
}
