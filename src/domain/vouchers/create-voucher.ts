import { v7 as uuidv7 } from 'uuid'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import { reachPoint } from '#lib/points.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import { checkBounds } from './check-bounds.ts'
import { actorId, type CreationRequest, hashOf, type Intent, type RecordedCreation, type Wanted } from './creation.ts'
import { updateCreationsFailed } from './creations.queries.ts'
import { endingBy } from './latest-end.ts'
import { type MakeContext, makeVouchers } from './make-vouchers.ts'
import { findAnswer, openCreation } from './open-creation.ts'
import { noteFor } from './voucher-note.ts'

export type CreateContext = MakeContext & { today: (at: Date) => string }

/** Creates one voucher on the site's controller and records it. Never calls the controller twice for one creation. */
export async function createVoucher(
  ctx: CreateContext,
  request: CreationRequest,
): Promise<{ created: RecordedCreation; replayed: boolean }> {
  const answered = await findAnswer(ctx.db, request)
  if (answered) return { created: answered, replayed: true }

  const site = await findSite(ctx, request)
  const wanted = await request.readWanted()
  const driver = ctx.controllers.driverOf(site)
  checkBounds(driver, endingBy(driver, wanted.shape, wanted.validUntil, ctx.clock.now()))
  return { created: await createOn(ctx, site, request, wanted), replayed: false }
}

async function findSite(ctx: CreateContext, { actor, siteId }: CreationRequest): Promise<SiteOnController> {
  const site = await findActiveSite(ctx.db, siteId, actor.allSites ? null : actor.apiKeyId)
  if (!site) throw new DomainError('site_not_found')
  return site
}

async function createOn(
  ctx: CreateContext,
  site: SiteOnController,
  request: CreationRequest,
  wanted: Wanted,
): Promise<RecordedCreation> {
  const now = ctx.clock.now()
  const day = ctx.today(now)
  const shape = {
    ...endingBy(ctx.controllers.driverOf(site), wanted.shape, wanted.validUntil, now),
    name: `${day}_${wanted.shape.name}`,
  }
  const connection = ctx.controllers.connectionOf(site) // without credentials there is nothing to intend
  const intent: Intent = {
    siteId: site.id,
    id: uuidv7(),
    actor: actorId(request.actor),
    apiKeyId: request.actor.apiKeyId,
    idempotencyKey: request.idempotencyKey,
    requestHash: hashOf(request.contents),
    shape,
    note: noteFor(site, shape.name),
    controllerAheadMs: connection.clockAheadMs(),
    reference: wanted.reference,
    validUntil: wanted.validUntil,
    batchId: null,
  }
  await openCreation(ctx.db, intent) // before the wait for a slot, so that a revocation during the wait covers it
  reachPoint('after intent')
  let isAsked = false
  try {
    return await ctx.controllers.inSlot(site.controllerId, async (waited) => {
      const current = waited ? await findSite(ctx, request) : site
      isAsked = true
      const [recorded] = await makeVouchers(ctx, { site: current, intents: [intent], actor: request.actor, day })
      return recorded as RecordedCreation
    })
  } catch (error) {
    if (!isAsked) await updateCreationsFailed(ctx.db, site.id, [intent.id], 'rejected')
    throw toDomainError(error, { site: site.id, controller: site.controllerId })
  }
}

/** What a client is told when nothing was made for certain, and when that is not known. */
const refused: Partial<Record<Failure, ErrorCode>> = {
  unreachable: 'controller_unreachable',
  timeout: 'controller_unreachable',
  busy: 'controller_busy',
}
const unknown: Partial<Record<Failure, ErrorCode>> = { timeout: 'controller_timeout', no_voucher: 'no_voucher' }

/** The details are for the log: which controller it was. */
function toDomainError(error: unknown, details: { site: number; controller: string }): DomainError {
  if (error instanceof DomainError) return error
  if (!(error instanceof ControllerError)) return new DomainError('recording_failed', { cause: error, details })
  if (error.cause instanceof Unavailable) return new DomainError('store_unavailable', { cause: error, details })
  const { outcome, failure } = error
  const code =
    outcome === 'refused' ? (refused[failure] ?? 'controller_refused') : (unknown[failure] ?? 'controller_failed')
  return new DomainError(code, { cause: error, details })
}
