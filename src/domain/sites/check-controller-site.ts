import type { Queryable } from '#db/database.ts'
import type { ControllerSite } from '#drivers/driver.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import {
  type ControllerRef,
  findController,
  findStoredController,
  type StoredController,
} from '../controllers/controllers.queries.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { controllerNotFound } from '../controllers/find-controller.ts'
import { DomainError } from '../errors.ts'
import { isControllerSiteRecorded } from './sites.queries.ts'

/** How many sites of a controller an error names. */
const namedSites = 20

type CheckContext = { db: Queryable; controllers: Controllers }

/**
 * Rejects a site that the controller does not have, and a controller that does not answer. A site of a controller can
 * have several ids, and two sites must not share their vouchers. So it returns the first id, under which the site must
 * be recorded. It also rejects a site that is already recorded under another id: an import does not ask the controller
 * and may have recorded that id.
 */
export async function checkControllerSite(
  ctx: CheckContext,
  actor: Actor,
  { controller, controllerSite }: { controller: ControllerRef; controllerSite: string },
): Promise<string> {
  const sites = await readControllerSites(ctx, actor, controller, controllerSite).catch(toCheckFailure)
  const site = sites.find(({ ids }) => ids.includes(controllerSite))
  if (!site) {
    const known = sites.slice(0, namedSites).map(({ ids: [id] }) => id)
    throw new DomainError('controller_site_not_found', { details: { controllerSite, sites: known.join(', ') } })
  }
  const recorded = await findController(ctx.db, controller)
  if (recorded && (await isControllerSiteRecorded(ctx.db, recorded.id, site.ids)))
    throw new DomainError('controller_site_taken', { details: { controllerSite, controller: recorded.name } })
  return site.ids[0]
}

/** Uses the error code of a failed check. Its message says how to skip the check. */
function toCheckFailure(error: unknown): never {
  if (!(error instanceof DomainError && error.code === 'controller_sites_unknown')) throw error
  throw new DomainError('controller_check_failed', { cause: error.cause, details: error.details })
}

/** The sites that the controller has, asked now. A hotspot operator signs in on the site `signInOn`. */
export async function readControllerSites(
  { db, controllers }: CheckContext,
  actor: Actor,
  ref: ControllerRef,
  signInOn: string,
): Promise<ControllerSite[]> {
  requireAllSites(actor)
  const controller = await findStoredController(db, ref)
  if (!controller) throw await controllerNotFound(db, ref)
  return askController(controllers, controller, signInOn)
}

async function askController(
  controllers: Controllers,
  controller: StoredController,
  signInOn: string,
): Promise<ControllerSite[]> {
  try {
    return await controllers.inBackground(controller.controllerId, () =>
      controllers.connectionOf(controller).sites(signInOn),
    )
  } catch (error) {
    const failure = controllerFailure(error)
    if (failure === undefined) throw error
    const { message: reason, cause } = error as Error
    const details = { failure, reason: error instanceof DomainError && cause instanceof Error ? cause.message : reason }
    throw new DomainError('controller_sites_unknown', { cause: error, details })
  }
}
