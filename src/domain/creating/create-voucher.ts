import { LRUCache } from 'lru-cache'
import { v7 as uuidv7 } from 'uuid'
import { Unavailable } from '#db/database.ts'
import { WritesStopped } from '#db/write-guard.ts'
import { ControllerError, type Failure, rethrowAs } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import type { Observer } from '#lib/observer.ts'
import { reachPoint } from '#lib/points.ts'
import { limitingActorId } from '../actor.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { measureStampSkew } from '../controllers/controllers.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { rejectIfHeld } from '../hold.queries.ts'
import { hashToStore, onceByKey, type RepeatableRequest, storedHashesOf } from '../idempotency.ts'
import type { MailServerContext } from '../mail-server/mail-server.ts'
import { messageCountersFor, toNewMessage } from '../mailing/new-message.ts'
import { requireMail } from '../mailing/request-message.ts'
import type { RequestedMessage } from '../messages/message.ts'
import { noteFailure, noteReachable, type OutageContext } from '../outages/track-outages.ts'
import { completeOptions, type RequestedOptions } from '../record/complete-options.ts'
import type { NewCreation, RecordedCreation } from '../record/creation.ts'
import {
  findEarlierCreation,
  insertCreation,
  insertCreationAt,
  type OpenedCreation,
  releaseIdempotencyKey,
  updateCreationSent,
  updateCreationsFailed,
} from '../record/creations.queries.ts'
import { issuingCountersFor } from '../record/issuing-counters.ts'
import { checkBounds, checkLongest, cutMinutes, noteFor } from '../record/voucher-shape.ts'
import { bringSyncForward, findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import { recordVouchers } from './record-vouchers.ts'
import type { UnsentCreations } from './unsent-creations.ts'

/** Options of a creation without a reference and without an end. */
export const noOptions = { reference: null, validUntil: null, extendableUntil: null, unusedDays: null }

/** The sites of recent creations, as they were when this process last read them. */
export type KnownSites = LRUCache<number, SiteOnController>

export function createKnownSites(): KnownSites {
  return new LRUCache({ max: 10_000 })
}

export type CreateContext = OutageContext & {
  clock: Clock
  today: Calendar
  observer?: Pick<Observer, 'creationsEnded'> | undefined
}

export type CreateVoucherContext = CreateContext &
  MailServerContext & {
    knownSites: KnownSites
    unsentCreations: UnsentCreations
  }

/** A voucher as the client requested it. Its name does not have the date yet. */
type CreationRequest = RepeatableRequest & {
  siteId: number
  name: string
  /** Completed only for a first request: the template of a repeat may be gone. */
  options: RequestedOptions
  /** The message that tells the guest the code. */
  message?: RequestedMessage | undefined
}

/** Creates one voucher on the site's controller and records it. Never calls the controller twice for one creation. */
export async function createVoucher(
  ctx: CreateVoucherContext,
  request: CreationRequest,
): Promise<{ created: RecordedCreation; isRepeat: boolean }> {
  const first = await createAtKnownSite(ctx, request)
  if (first) return { created: first, isRepeat: false }
  const { result, isRepeat } = await onceByKey(ctx.keyring, request, {
    find: (key) => findEarlierCreation(ctx.db, request.actor, key),
    create: (requestHash) => createFirst(ctx, request, requestHash),
  })
  return { created: result, isRepeat }
}

/**
 * Creates a voucher at a site that this process has in memory, which saves one round trip, or two with an Idempotency-Key. The
 * statement that commits the creation does nothing if the site has changed since it was read. Undefined if nothing was done:
 * then `onceByKey` and `createFirst` read everything again and find the reason.
 */
async function createAtKnownSite(
  ctx: CreateVoucherContext,
  request: CreationRequest,
): Promise<RecordedCreation | undefined> {
  const known = ctx.knownSites.get(request.siteId)
  const connection = known && ctx.controllers.openConnectionOf(known)
  if (!connection) return undefined
  const creation = await toNewCreation(ctx, known, request, {
    requestHash: hashToStore(ctx.keyring, request),
    clockAheadMs: connection.clockAheadMs,
  }).catch(undefinedIfRejected)
  if (!creation) return undefined
  const opened = await rememberIfUnanswered(ctx, creation, () =>
    insertCreationAt(ctx, known, creation, limitingActorId(request.actor)),
  )
  return opened && makeVoucher(ctx, request, opened.site, { creation, ...opened })
}

/**
 * For `catch`: a request that is invalid now may repeat one that was valid. So the earlier result is looked up before the request
 * is rejected.
 */
function undefinedIfRejected(error: unknown): undefined {
  if (!(error instanceof DomainError)) throw error
}

/** Undefined when another request with the same Idempotency-Key was faster. */
async function createFirst(
  ctx: CreateVoucherContext,
  request: CreationRequest,
  requestHash: Buffer,
): Promise<RecordedCreation | undefined> {
  const site = await findActiveSite(ctx.db, request.siteId, limitingActorId(request.actor))
  if (!site) throw new DomainError('site_not_found')
  ctx.knownSites.set(site.id, site)
  if (request.message) await requireMail(ctx, site.id)
  const creation = await toNewCreation(ctx, site, request, {
    requestHash,
    clockAheadMs: () => ctx.controllers.connectionOf(site).clockAheadMs(), // throws when there are no credentials
  })
  const opened = await rememberIfUnanswered(ctx, creation, () =>
    openCreation(ctx, creation, storedHashesOf(ctx.keyring, request.contents)),
  )
  return opened && makeVoucher(ctx, request, site, { creation, ...opened })
}

/**
 * Commits a creation. If the database does not answer, the creation may still be committed. The controller is never called for it,
 * so the creation is rejected as soon as the database answers.
 */
async function rememberIfUnanswered<T>(
  ctx: CreateVoucherContext,
  creation: NewCreation,
  commit: () => T,
): Promise<Awaited<T>> {
  try {
    return await commit()
  } catch (error) {
    if (error instanceof Unavailable && !(error instanceof WritesStopped)) ctx.unsentCreations.add(creation)
    throw error
  }
}

/** Waits for a slot of the controller and makes the voucher of a committed creation. */
async function makeVoucher(
  ctx: CreateVoucherContext,
  request: CreationRequest,
  site: SiteOnController,
  { creation, isSilent }: OpenedCreation & { creation: NewCreation },
): Promise<RecordedCreation> {
  // The creation is committed before the wait for a slot, so that a revocation during the wait covers it.
  reachPoint('creation opened')
  let isSent = false
  try {
    return await ctx.controllers.inSlot(site.controllerId, async (waited) => {
      const current = waited ? await renewCreation(ctx, request, creation) : site
      isSent = true
      const [recorded] = await makeVouchers(ctx, current, [creation], { isSilent })
      return recorded as RecordedCreation
    })
  } catch (error) {
    if (!isSent) {
      await rejectUnsent(ctx, creation)
      if (error instanceof Unavailable) throw error // nothing was made, so it is not a failed recording
    }
    throw toDomainError(error, site)
  }
}

/** Settles a creation that was not sent, now or as soon as the database answers. */
async function rejectUnsent(ctx: CreateVoucherContext, creation: NewCreation): Promise<void> {
  try {
    await updateCreationsFailed(ctx.db, creation.siteId, [creation.id], 'rejected')
    ctx.observer?.creationsEnded('rejected', 1)
  } catch {
    ctx.unsentCreations.add(creation)
  }
}

/** Renews a creation that waited for a slot. Returns its site as it is now. */
async function renewCreation(
  { db }: CreateContext,
  { actor }: CreationRequest,
  creation: NewCreation,
): Promise<SiteOnController> {
  const renewed = await updateCreationSent(db, creation, limitingActorId(actor))
  if (!renewed) throw new DomainError('site_not_found')
  if (renewed.isHeld) throw new DomainError('held')
  return renewed.site
}

async function toNewCreation(
  ctx: CreateVoucherContext,
  site: SiteOnController,
  request: CreationRequest,
  { requestHash, clockAheadMs }: { requestHash: Buffer; clockAheadMs: () => number },
): Promise<NewCreation> {
  const { limits, extendableUntil, ...options } = await completeOptions(ctx.db, site.id, request.options)
  const now = ctx.clock.now()
  const driver = ctx.controllers.driverOf(site)
  const dated = { ...limits, name: `${ctx.today(now)}_${request.name}` }
  const { shape, minutesCut } = cutMinutes(driver, dated, { ...options, extendableUntil }, now)
  checkBounds(driver, shape, { extendableUntil, now })
  checkLongest([request.actor.issuing, site], dated, options, now)
  return {
    siteId: site.id,
    id: uuidv7(),
    maker: request.actor,
    idempotencyKey: request.idempotencyKey,
    requestHash,
    shape,
    minutesCut,
    note: noteFor(site, shape.name),
    controllerAheadMs: clockAheadMs(),
    ...options,
    batchId: null,
    ...countedMessage(ctx, request, site, now),
  }
}

/** The message of a creation and the counters of both. */
function countedMessage(
  ctx: CreateVoucherContext,
  { actor, message }: CreationRequest,
  site: SiteOnController,
  now: Date,
): Pick<NewCreation, 'message' | 'issuingCounters'> {
  const issuing = issuingCountersFor(actor, site, ctx.today, now)
  if (!message) return { message: null, issuingCounters: issuing }
  const counters = messageCountersFor(ctx, message, { maker: actor, siteId: site.id, now })
  return { message: toNewMessage(ctx.keyring, message), issuingCounters: [...(issuing ?? []), ...counters] }
}

/**
 * Commits the creation. An earlier attempt with the same Idempotency-Key that made nothing keeps its own row, because its voucher
 * might still turn up. Undefined when the key belongs to a creation that is under way or recorded.
 */
async function openCreation(
  { db }: CreateContext,
  creation: NewCreation,
  sameHashes: Buffer[],
): Promise<OpenedCreation | undefined> {
  const opened = await insertCreation(db, creation)
  if (opened) return opened
  return db.transaction(async (tx) => {
    await releaseIdempotencyKey(tx, creation, sameHashes)
    const openedNow = await insertCreation(tx, creation)
    if (!openedNow) await rejectIfHeld(tx) // rolls back, so that the earlier attempt keeps its key
    return openedNow
  })
}

/**
 * Calls the controller once for the vouchers of these committed creations, which have the same name and limits, and records them.
 * If that fails, marks the creations without a voucher as rejected, or as unknown if the controller may have made something.
 */
export async function makeVouchers(
  ctx: CreateContext,
  site: SiteOnController,
  creations: NewCreation[],
  { isSilent }: OpenedCreation = { isSilent: false },
): Promise<RecordedCreation[]> {
  const { shape: asked, note, maker, batchId } = creations[0] as NewCreation
  const askedAt = ctx.clock.now()
  const day = ctx.today(askedAt)
  const recorded: RecordedCreation[] = []
  let left = creations.map(({ id }) => id)
  try {
    if (site.isOut) await ensureReachable(ctx, site)
    const made = ctx.controllers
      .connectionOf(site)
      .create(site.controllerSite, { ...asked, name: note }, creations.length)
    for await (const candidates of made) {
      reachPoint('after answer')
      const recording = {
        site,
        creationIds: left,
        maker,
        batchId,
        candidates,
        asked,
        day,
        newCreations: creations,
        isSilent,
      }
      const added = await recordVouchers(ctx, recording)
      ctx.observer?.creationsEnded('recorded', added.length)
      recorded.push(...added)
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
    if (failure) noteFailure(ctx, site, failure).catch(() => {}) // not awaited: the next failure notes it too
    throw error
  }
}

/**
 * Reads from a controller that has an outage, before a creation is sent to it. If the read fails, certainly nothing was made. If the
 * controller answers, its outage ends now.
 */
async function ensureReachable(ctx: CreateContext, site: SiteOnController): Promise<void> {
  await ctx.controllers.connectionOf(site).probe(site.controllerSite).catch(rethrowAs('refused'))
  await noteReachable(ctx, site.controllerId).catch(() => {}) // otherwise the next probe of the worker ends it
}

/** Settles the creations if the controller certainly made nothing. After any other failure, the worker looks for their vouchers. */
async function markFailed(ctx: CreateContext, siteId: number, ids: string[], error: unknown): Promise<void> {
  const nothingMade = error instanceof ControllerError && error.outcome === 'refused'
  const outcome = nothingMade ? 'rejected' : 'unknown'
  ctx.observer?.creationsEnded(outcome, ids.length)
  try {
    await updateCreationsFailed(ctx.db, siteId, ids, outcome)
    if (!nothingMade) await bringSyncForward(ctx.db, siteId, 'failed')
  } catch (err) {
    // The lookup starts when the lease of the creations ends.
    ctx.log.warn({ err, creations: ids.slice(0, 3) }, 'failed creations could not be marked')
  }
}

/** Error codes by failure: `rejected` if certainly no voucher was made, `unknown` if one may have been made. */
const rejected: Partial<Record<Failure, ErrorCode>> = {
  unreachable: 'controller_unreachable',
  timeout: 'controller_unreachable',
  failed: 'controller_unreachable',
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
