import type { Database } from '#db/database.ts'
import { type Actor, limitingActorId } from '../actor.ts'
import { changed, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { allowsMore } from '../issuing-limits.ts'
import { plainName } from '../plain-name.ts'
import { mayRaiseLimits } from './raise-limits.ts'
import { findSite, type Site, type SiteSettings, updateSite } from './sites.queries.ts'
import { updateSyncRequested } from './sync-times.queries.ts'

/** Changes the given settings of a site. Settings that are undefined stay as they are. */
export async function setSite(db: Database, actor: Actor, id: number, request: SiteSettings): Promise<Site> {
  const settings = request.name === undefined ? request : { ...request, name: plainName(request.name) }
  return changeSite(db, actor, id, { settings, action: 'site.changed' })
}

/** Activates or deactivates a site. Only active sites are listed and get new vouchers. Old vouchers stay readable. */
export async function activateSite(db: Database, actor: Actor, id: number, active: boolean): Promise<Site> {
  return changeSite(db, actor, id, {
    settings: { active },
    action: active ? 'site.activated' : 'site.deactivated',
  })
}

type Change = { settings: SiteSettings; action: string }

async function changeSite(db: Database, actor: Actor, id: number, { settings, action }: Change): Promise<Site> {
  return db.transaction(async (tx) => {
    const before = await findSite(tx, id, limitingActorId(actor))
    const site = await updateSite(tx, id, settings, limitingActorId(actor))
    if (!site || !before) throw new DomainError('site_not_found', { details: { ids: id } })
    if (allowsMore(site, before) && !mayRaiseLimits(actor)) throw new DomainError('limits_beyond_own')
    const entry = { action, targetKind: 'site', targetId: String(id), details: { name: before.name } }
    if (action === 'site.changed') await recordChange(tx, actor, entry, changed(before, settings))
    else await recordAudit(tx, actor, entry)
    return site
  })
}

/** Makes the site due for a sync and returns the time of the request. The sync is done once `syncedAt` is not before it. */
export async function requestSync(db: Database, actor: Actor, id: number): Promise<Date> {
  return db.transaction(async (tx) => {
    const site = await findSite(tx, id, limitingActorId(actor))
    if (!site) throw new DomainError('site_not_found', { details: { ids: id } })
    const requestedAt = await updateSyncRequested(tx, id)
    if (!requestedAt) throw new DomainError('site_inactive', { details: { id } })
    await recordAudit(tx, actor, { action: 'site.sync_requested', targetKind: 'site', targetId: String(id) })
    return requestedAt
  })
}
