import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { type Site, type SiteSettings, updateSiteSettings } from './sites.queries.ts'

/** Changes the given settings of a site. Settings that are undefined stay as they are. */
export async function setSite(db: Database, id: number, settings: SiteSettings): Promise<Site> {
  return db.transaction(async (tx) => {
    const site = await updateSiteSettings(tx, id, settings)
    if (!site) throw new CommandRefused(`No site has the id ${id}.`)
    await recordAudit(tx, { action: 'site.changed', targetKind: 'site', targetId: String(id), details: settings })
    return site
  })
}
