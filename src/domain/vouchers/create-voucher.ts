import { ControllerError, type Failure } from '#drivers/driver.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import { checkBounds } from './check-bounds.ts'
import type { CreationRequest, RecordedCreation } from './creation.ts'
import { endingBy } from './latest-end.ts'
import { type MakeContext, makeVouchers } from './make-vouchers.ts'
import { findAnswer, openCreation } from './open-creation.ts'

export type CreateContext = MakeContext & { today: (at: Date) => string }

/** Creates one voucher on the site's controller and records it. Never calls the controller twice for one creation. */
export async function createVoucher(
  ctx: CreateContext,
  request: CreationRequest,
): Promise<{ created: RecordedCreation; replayed: boolean }> {
  const answered = await findAnswer(ctx.db, request)
  if (answered) return { created: answered, replayed: true }

  const site = await findSite(ctx, request)
  const driver = ctx.controllers.driverOf(site)
  checkBounds(driver, endingBy(driver, request.shape, request.validUntil, new Date()))
  return ctx.controllers.inSlot(site.controllerId, async (waited) => {
    const answeredMeanwhile = waited ? await findAnswer(ctx.db, request) : undefined
    if (answeredMeanwhile) return { created: answeredMeanwhile, replayed: true }
    const current = waited ? await findSite(ctx, request) : site
    return { created: await createOn(ctx, current, request), replayed: false }
  })
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
): Promise<RecordedCreation> {
  const now = new Date()
  const day = ctx.today(now)
  const asked = {
    ...endingBy(ctx.controllers.driverOf(site), request.shape, request.validUntil, now),
    name: `${day}_${request.shape.name}`,
  }
  ctx.controllers.connectionOf(site) // without credentials there is nothing to intend
  const creationId = await openCreation(ctx.db, request, asked)
  try {
    const [recorded] = await makeVouchers(ctx, { site, creationIds: [creationId], actor: request.actor, asked, day })
    return recorded as RecordedCreation
  } catch (error) {
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
