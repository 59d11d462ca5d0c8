import type { Static } from 'typebox'
import { findSiteState, listSiteStates, type SiteState } from '#domain/sites/site-states.queries.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { onlyForKey } from './allowed-sites.ts'
import { numberCursor, readNumberCursor } from './cursor.ts'
import { operation } from './operation.ts'
import { cutPage } from './page.ts'
import { Refused } from './problems.ts'
import { siteListQuery, sitePage, siteParams, siteSchema } from './sites.schemas.ts'

export const listSites = operation({
  method: 'GET',
  path: '/sites',
  operationId: 'listSites',
  summary: 'The sites that the key may use, active or not, by number',
  scope: 'read',
  status: 200,
  query: siteListQuery,
  answer: sitePage,
  async handle({ db }, { key, query: { limit = 50, cursor } }) {
    const after = cursor === undefined ? 0 : readNumberCursor(cursor)
    const found = await listSiteStates(db, { onlyForKey: onlyForKey(key), after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, numberCursor)
    return { sites: rows.map(toWire), next_cursor }
  },
})

export const findSite = operation({
  method: 'GET',
  path: '/sites/{id}',
  operationId: 'findSite',
  summary: 'One site',
  scope: 'read',
  status: 200,
  params: siteParams,
  answer: siteSchema,
  async handle({ db }, { key, params }) {
    const id = /^[1-9]\d{0,9}$/.test(params.id) ? Number(params.id) : 0
    const site = id <= maxSiteId ? await findSiteState(db, id, onlyForKey(key)) : undefined
    if (!site) throw new Refused('not_found')
    return toWire(site)
  },
})

function toWire(site: SiteState): Static<typeof siteSchema> {
  return {
    id: site.id,
    name: site.name,
    active: site.active,
    reachable: site.unreachableSince === null,
    unreachable_since: site.unreachableSince?.toISOString() ?? null,
    synced_at: site.syncedAt?.toISOString() ?? null,
    sync_failure: site.syncFailure,
    unrecorded_vouchers: site.unrecorded,
  }
}
