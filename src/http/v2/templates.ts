import type { Static } from 'typebox'
import { listTemplatePage, type Template } from '#domain/templates/templates.queries.ts'
import { allowedSites } from './allowed-sites.ts'
import { nameCursor, readNameCursor } from './cursor.ts'
import { operation } from './operation.ts'
import { cutPage } from './page.ts'
import { templateListQuery, templatePage } from './templates.schemas.ts'

export const listTemplates = operation({
  method: 'GET',
  path: '/templates',
  operationId: 'listTemplates',
  summary: 'Named durations and limits, for all sites and for those of the key, by name',
  scope: 'read',
  status: 200,
  query: templateListQuery,
  answer: templatePage,
  async handle({ db }, { key, query: { site_id, limit = 50, cursor } }) {
    const after = cursor === undefined ? undefined : readNameCursor(cursor)
    const sites = await allowedSites(db, key, site_id === undefined ? undefined : [site_id])
    const found = await listTemplatePage(db, sites, { after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { templates: rows.map(toWire), next_cursor }
  },
})

function toWire(template: Template): Static<typeof templatePage>['templates'][number] {
  return {
    id: template.id,
    site_id: template.siteId,
    name: template.name,
    max_uses: template.maxUses,
    expire_minutes: template.expireMinutes,
    qos: { down_kbps: template.downKbps, up_kbps: template.upKbps, quota_mb: template.quotaMb },
  }
}
