import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findControllerByName } from '../controllers/controllers.queries.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { siteAdded } from './site-added.ts'
import { insertSite, type Site } from './sites.queries.ts'

export async function addSite(
  db: Database,
  request: { name: string; controller: string; controllerSite: string; active: boolean; adoptsVouchers?: boolean },
): Promise<Site> {
  return db.transaction(async (tx) => {
    const controller = await findControllerByName(tx, request.controller)
    if (!controller) throw new CommandRefused(`No controller is called "${request.controller}".`)
    const site = await insertSite(tx, {
      adoptsVouchers: false,
      ...request,
      name: plainName(request.name),
      controllerId: controller.id,
    })
    if (!site) {
      throw new CommandRefused(`"${request.controllerSite}" on ${controller.name} belongs to another site already.`)
    }
    await recordAudit(tx, siteAdded(site))
    return site
  })
}
