import type { Database } from '#db/database.ts'
import type { ControllerSite } from '#drivers/driver.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findController, listSitesOfController } from '../controllers/controllers.queries.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { controllerNotFound } from '../controllers/find-controller.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { siteAdded } from './add-site.ts'
import { readControllerSites } from './check-controller-site.ts'
import { insertSites, lockImports } from './sites.queries.ts'

const maxSites = 5_000

type AddContext = { db: Database; controllers: Controllers }

/** A site of a controller, and the number of the site here that uses it; null if none does. */
export type OfferedSite = ControllerSite & { siteId: number | null }

/** Asks the controller now which sites it has, and says which of them are recorded here under any of their ids. */
export async function readOfferedSites(ctx: AddContext, actor: Actor, controllerId: string): Promise<OfferedSite[]> {
  const recorded = await listSitesOfController(ctx.db, controllerId)
  const signInOn = recorded[0]?.controllerSite ?? 'default'
  const sites = await readControllerSites(ctx, actor, { id: controllerId }, signInOn)
  const numbers = new Map(recorded.map(({ id, controllerSite }) => [controllerSite, id]))
  return sites.map((site) => ({ ...site, siteId: site.ids.map((id) => numbers.get(id)).find(Boolean) ?? null }))
}

type Wanted = {
  /** The ids of the sites on the controller. Without them, all sites are added. */
  ids?: string[] | undefined
  /** Names for sites that should not have the name that they have on the controller. */
  names?: { id: string; name: string }[] | undefined
}

/**
 * Adds sites of a controller that are not recorded yet, under the names that they have there, unless the request names them.
 * Adds at most 5,000 at once. Returns the numbers of the new sites.
 */
export async function addControllerSites(
  ctx: AddContext,
  actor: Actor,
  controllerId: string,
  { ids: wanted, names = [] }: Wanted,
): Promise<number[]> {
  const offered = await readOfferedSites(ctx, actor, controllerId)
  const unknown = wanted?.find((id) => !offered.some(({ ids }) => ids.includes(id)))
  if (unknown !== undefined) {
    const sites = offered
      .map(({ ids: [id] }) => id)
      .slice(0, 20)
      .join(', ')
    throw new DomainError('controller_site_not_found', { details: { controllerSite: unknown, sites } })
  }
  const given = new Map(names.map(({ id, name }) => [id, plainName(name)]))
  const rows = offered
    .filter(({ siteId, ids }) => siteId === null && (wanted === undefined || ids.some((id) => wanted.includes(id))))
    .slice(0, maxSites)
    .map(({ ids, ids: [controllerSite], name }) => ({
      name: ids.map((id) => given.get(id)).find(Boolean) ?? visibleName(name) ?? controllerSite,
      controllerId,
      controllerSite,
      active: true,
      adoptsVouchers: false,
    }))
  return ctx.db.transaction(async (tx) => {
    const controller = await findController(tx, { id: controllerId })
    if (!controller) throw await controllerNotFound(tx, { id: controllerId })
    await lockImports(tx)
    const added = await insertSites(tx, rows)
    if (added.length > 0)
      await recordAudit(tx, actor, ...added.map((site) => siteAdded({ ...site, controller: controller.name })))
    return added.map(({ id }) => id)
  })
}

/** Undefined when the name on the controller cannot be used here, for example because it is empty or too long. */
function visibleName(name: string): string | undefined {
  try {
    return plainName(name)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}
