import type { Database, Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { type Site, type SiteSettings, updateSiteActive, updateSiteSettings } from './sites.queries.ts'

/** Changes the given settings of a site. Settings that are undefined stay as they are. */
export async function setSite(db: Database, actor: Actor, id: number, settings: SiteSettings): Promise<Site> {
  return changeSite(db, actor, id, {
    update: (tx) => updateSiteSettings(tx, id, settings),
    action: 'site.changed',
    details: settings,
  })
}

/** Activates or deactivates a site. Only active sites are listed and get new vouchers. Old vouchers stay readable. */
export async function activateSite(db: Database, actor: Actor, id: number, active: boolean): Promise<Site> {
  return changeSite(db, actor, id, {
    update: (tx) => updateSiteActive(tx, id, active),
    action: active ? 'site.activated' : 'site.deactivated',
  })
}

type Change = { update: (tx: Queryable) => Promise<Site | undefined>; action: string; details?: SiteSettings }

async function changeSite(db: Database, actor: Actor, id: number, change: Change): Promise<Site> {
  const { update, ...audited } = change
  return db.transaction(async (tx) => {
    const site = await update(tx)
    if (!site) throw new DomainError('site_not_found', { details: { ids: id } })
    await recordAudit(tx, actor, { ...audited, targetKind: 'site', targetId: String(id) })
    return site
  })
}
