import type { Database } from '#db/database.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type ControllerRef, findController } from '../controllers/controllers.queries.ts'
import { controllerNotFound } from '../controllers/find-controller.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { insertSite, type Site } from './sites.queries.ts'

export type NewSiteRequest = {
  name: string
  controller: ControllerRef
  controllerSite: string
  active: boolean
  adoptsVouchers?: boolean
}

export async function addSite(db: Database, actor: Actor, request: NewSiteRequest): Promise<Site> {
  requireAllSites(actor)
  return db.transaction(async (tx) => {
    const controller = await findController(tx, request.controller)
    if (!controller) throw await controllerNotFound(tx, request.controller)
    const { active, adoptsVouchers = false } = request
    const site = await insertSite(tx, {
      active,
      adoptsVouchers,
      name: plainName(request.name),
      controllerSite: plainName(request.controllerSite, 'controller_site'),
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
