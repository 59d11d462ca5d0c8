import type { Database } from '#db/database.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import {
  type ControllerRef,
  deleteController,
  findControllerToChange,
  listSitesOfController,
} from './controllers.queries.ts'
import { controllerNotFound } from './find-controller.ts'

const namedSites = 5

/** Removes a controller that has no sites, with its credentials and the record of its outages. */
export async function removeController(
  db: Database,
  actor: Actor,
  ref: ControllerRef,
): Promise<{ removed: string; name: string }> {
  requireAllSites(actor)
  return db.transaction(async (tx) => {
    const found = await findControllerToChange(tx, ref)
    if (!found) throw await controllerNotFound(tx, ref)
    const { id, name, siteCount } = found
    if (siteCount > 0) {
      const sites = (await listSitesOfController(tx, id, namedSites)).map((site) => `${site.id} (${site.name})`)
      const more = siteCount > sites.length ? ['…'] : []
      throw new DomainError('controller_in_use', { details: { name, sites: [...sites, ...more].join(', ') } })
    }
    await deleteController(tx, id)
    await recordAudit(tx, actor, {
      action: 'controller.removed',
      targetKind: 'controller',
      targetId: id,
      details: { name, driver: found.driver, address: found.address },
    })
    return { removed: id, name }
  })
}
