import type { Database } from '#db/database.ts'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import { Unavailable } from '#lib/unavailable.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { findActiveSite, type SiteOnController } from '../sites/sites.queries.ts'
import { bringSyncForward } from '../sites/sync-times.queries.ts'
import { checkBounds } from './check-bounds.ts'
import type { CreatedVoucher, CreationRequest } from './creation.ts'
import { updateCreationFailed } from './creations.queries.ts'
import { findAnswer, openCreation } from './open-creation.ts'
import { recordVoucher } from './record-voucher.ts'

export type CreateContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  today: (at: Date) => string
  log: { warn(fields: object, message: string): void }
}

/** Creates one voucher on the site's controller and records it. Never calls the controller twice for one creation. */
export async function createVoucher(
  ctx: CreateContext,
  request: CreationRequest,
): Promise<{ voucher: CreatedVoucher; replayed: boolean }> {
  const answered = await findAnswer(ctx.db, request)
  if (answered) return { voucher: answered, replayed: true }

  const site = await findSite(ctx, request)
  checkBounds(ctx.controllers.driverOf(site), request.shape)
  return ctx.controllers.inSlot(site.controllerId, async (waited) => {
    const answeredMeanwhile = waited ? await findAnswer(ctx.db, request) : undefined
    if (answeredMeanwhile) return { voucher: answeredMeanwhile, replayed: true }
    const current = waited ? await findSite(ctx, request) : site
    return { voucher: await createOn(ctx, current, request), replayed: false }
  })
}

async function findSite(ctx: CreateContext, { actor, siteId }: CreationRequest): Promise<SiteOnController> {
  const site = await findActiveSite(ctx.db, siteId, actor.allSites ? null : actor.apiKeyId)
  if (!site) throw new DomainError('site_not_found')
  return site
}

async function createOn(ctx: CreateContext, site: SiteOnController, request: CreationRequest): Promise<CreatedVoucher> {
  const day = ctx.today(new Date())
  const asked = { ...request.shape, name: `${day}_${request.shape.name}` }
  const connection = ctx.controllers.connectionOf(site)
  const creationId = await openCreation(ctx.db, request, asked.name)
  try {
    for await (const candidates of connection.create(site.controllerSite, asked, 1)) {
      const recording = { site, creationId, actor: request.actor, candidates, asked, day }
      const recorded = await recordVoucher(ctx, recording)
      if (recorded) return recorded
    }
    throw new DomainError('no_voucher')
  } catch (error) {
    await settleFailed(ctx, { siteId: site.id, id: creationId }, error)
    throw toDomainError(error, { site: site.id, controller: site.controllerId })
  }
}

/** A definite refusal is settled at once; everything else stays to be looked for on the controller. */
async function settleFailed(
  ctx: CreateContext,
  creation: { siteId: number; id: string },
  error: unknown,
): Promise<void> {
  const nothingMade = error instanceof ControllerError && error.outcome === 'refused'
  try {
    await updateCreationFailed(ctx.db, creation, nothingMade ? 'rejected' : 'unknown')
    await bringSyncForward(ctx.db, creation.siteId, 'failed')
  } catch (err) {
    // Its lease will run out, and then it is looked for as well.
    ctx.log.warn({ err, creation: creation.id }, 'a failed creation could not be marked')
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
