import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { type Site, updateSiteActive } from './sites.queries.ts'

/** Only active sites are listed and receive vouchers; what is recorded stays readable. */
export async function activateSite(db: Database, id: number, active: boolean): Promise<Site> {
  return db.transaction(async (tx) => {
    const site = await updateSiteActive(tx, id, active)
    if (!site) throw new CommandRefused(`No site has the id ${id}.`)
    await recordAudit(tx, {
      action: active ? 'site.activated' : 'site.deactivated',
      targetKind: 'site',
      targetId: String(id),
    })
    return site
  })
}
