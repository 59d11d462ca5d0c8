import type { Database } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findControllerByName } from '../controllers/controllers.queries.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { insertSite, type Site } from './sites.queries.ts'

export async function addSite(
  db: Database,
  actor: Actor,
  request: { name: string; controller: string; controllerSite: string; active: boolean; adoptsVouchers?: boolean },
): Promise<Site> {
  return db.transaction(async (tx) => {
    const controller = await findControllerByName(tx, request.controller)
    if (!controller) throw new DomainError('controller_not_found', { details: { name: request.controller } })
    const site = await insertSite(tx, {
      adoptsVouchers: false,
      ...request,
      name: plainName(request.name),
      controllerId: controller.id,
    })
    if (!site) {
      throw new DomainError('controller_site_taken', {
        details: { controllerSite: request.controllerSite, controller: controller.name },
      })
    }
    await recordAudit(tx, actor, siteAdded(site))
    return site
  })
}

/** The audit entry of a new site. */
export function siteAdded(site: { id: number; name: string; controller: string; controllerSite: string }) {
  const { id, name, controller, controllerSite } = site
  return {
    action: 'site.added',
    targetKind: 'site',
    targetId: String(id),
    details: { name, controller, controllerSite },
  }
}
