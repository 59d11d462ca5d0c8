import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { type Site, type SiteSettings, updateSiteSettings } from './sites.queries.ts'

/** Changes how vouchers of a site are treated. What is undefined stays. */
export async function setSite(db: Database, id: number, settings: SiteSettings): Promise<Site> {
  return db.transaction(async (tx) => {
    const site = await updateSiteSettings(tx, id, settings)
    if (!site) throw new CommandRefused(`No site has the id ${id}.`)
    await recordAudit(tx, { action: 'site.changed', targetKind: 'site', targetId: String(id), details: settings })
    return site
  })
}
