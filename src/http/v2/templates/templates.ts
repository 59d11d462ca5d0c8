import { type Static, Type } from 'typebox'
import { listTemplatePage, type Template } from '#domain/templates/templates.queries.ts'
import { count, countOrNull, siteNumber } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'
import { findAllowedSites } from '../sites/sites.ts'

export const templateSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    site_id: Type.Unsafe<number | null>({
      ...siteNumber,
      type: ['integer', 'null'],
      description: 'The site of the template. Null if the template can be used on every site.',
    }),
    name: Type.String({ examples: ['8 hours'] }),
    max_uses: { ...count, description: '0 means any number of devices.' },
    expire_minutes: Type.Integer({ minimum: 1, description: 'Minutes from the first use.' }),
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }, { description: '0 means no limit.' }),
    unused_days: {
      ...countOrNull,
      description: 'Days after which a voucher is withdrawn if nobody has used it. Null: never.',
    },
  },
  { title: 'Template' },
)

export const listTemplates = operation({
  method: 'GET',
  path: '/templates',
  operationId: 'listTemplates',
  summary: 'List templates by name: those for all sites and those for the sites of the key',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(
    {
      site_id: Type.Optional({
        ...siteNumber,
        description:
          'Only templates that can be used on this site: its own and those for all sites. Without it: all sites of the key.',
      }),
      ...namePageQuery,
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({ templates: Type.Array(templateSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, query: { site_id, limit = 50, cursor } }) {
    const after = readNameCursor(cursor)
    const sites = await findAllowedSites(db, actor, site_id === undefined ? undefined : [site_id])
    const found = await listTemplatePage(db, sites, { after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { templates: rows.map(templateToWire), next_cursor }
  },
})

export function templateToWire(template: Template): Static<typeof templateSchema> {
  return {
    id: template.id,
    site_id: template.siteId,
    name: template.name,
    max_uses: template.maxUses,
    expire_minutes: template.expireMinutes,
    qos: { down_kbps: template.downKbps, up_kbps: template.upKbps, quota_mb: template.quotaMb },
    unused_days: template.unusedDays,
  }
}
