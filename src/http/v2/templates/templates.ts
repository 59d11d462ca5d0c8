import { type Static, Type } from 'typebox'
import type { Requester } from '#domain/actor.ts'
import {
  addTemplate,
  removeTemplate,
  setTemplate,
  type TemplateChange,
} from '#domain/templates/administer-templates.ts'
import { isAutomaticName } from '#domain/templates/automatic-name.ts'
import { listTemplatePage, maxLimit, maxUnusedDays, type Template } from '#domain/templates/templates.queries.ts'
import { changeBody, count, countOrNull, readUuid, siteNumber, uuidParams } from '../kit/fields.ts'
import { operation, type V2Context } from '../kit/operation.ts'
import { cutPage, nextCursor, pageQuery, placeCursor, readPlaceCursor } from '../kit/pages.ts'
import { findAllowedSites } from '../sites/sites.ts'

const templateSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    site_id: Type.Unsafe<number | null>({
      ...siteNumber,
      type: ['integer', 'null'],
      description: 'The site of the template. Null if the template can be used on every site.',
    }),
    name: Type.String({ examples: ['8 hours'] }),
    automatic_name: Type.Boolean({
      description:
        'Whether the name only says the duration, in English or German. A page can then write the duration in the language of its reader.',
    }),
    max_uses: { ...count, description: '0 means any number of devices.' },
    expire_minutes: Type.Integer({ minimum: 1, description: 'Minutes from the first use.' }),
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }, { description: '0 means no limit.' }),
    unused_days: {
      ...countOrNull,
      description: 'Days after which a voucher is withdrawn if nobody has used it. Null: never.',
    },
    is_default: Type.Boolean({
      description:
        'Whether the desk begins with this template. The default of a site takes precedence over the default for all sites.',
    }),
  },
  { title: 'Template' },
)

export const listTemplates = operation({
  method: 'GET',
  path: '/templates',
  operationId: 'listTemplates',
  summary: 'List templates in the order of the desk: those for all sites and those for the sites of the key',
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
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({ templates: Type.Array(templateSchema), next_cursor: nextCursor }),
  handle: (ctx, { actor, query: { site_id, limit = 50, cursor } }) =>
    listTemplatesOf(ctx, { actor, siteId: site_id, limit, cursor }),
})

type TemplatesWanted = { actor: Requester; siteId?: number | undefined; limit: number; cursor?: string | undefined }

/** A page of the templates that a caller may use, on one site or on all. */
export async function listTemplatesOf(
  { db }: Pick<V2Context, 'db'>,
  { actor, siteId, limit, cursor }: TemplatesWanted,
) {
  const after = readPlaceCursor(cursor)
  const sites = await findAllowedSites(db, actor, siteId === undefined ? undefined : [siteId])
  const found = await listTemplatePage(db, sites, { after, limit: limit + 1 })
  const { rows, next_cursor } = cutPage(found, limit, placeCursor)
  return { templates: rows.map(templateToWire), next_cursor }
}

const limitOrZero = Type.Integer({ minimum: 0, maximum: maxLimit })

const changeable = {
  name: Type.String({
    examples: ['8 hours'],
    description: 'Empty: the name is made from the duration, such as "1 day", and changes with it.',
  }),
  max_uses: { ...limitOrZero, description: '0 means any number of devices.' },
  expire_minutes: Type.Integer({ minimum: 1, maximum: maxLimit, description: 'Minutes from the first use.' }),
  qos: Type.Object(
    {
      down_kbps: Type.Optional(limitOrZero),
      up_kbps: Type.Optional(limitOrZero),
      quota_mb: Type.Optional(limitOrZero),
    },
    { additionalProperties: false, description: '0 means no limit.' },
  ),
  unused_days: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: maxUnusedDays,
    description: 'Days after which a voucher is withdrawn if nobody has used it. Null: never.',
  }),
}

export const createTemplate = operation({
  method: 'POST',
  path: '/templates',
  operationId: 'createTemplate',
  summary: 'Add a template, for one site or for all sites',
  scope: 'manage',
  role: 'manager',
  status: 201,
  body: Type.Object(
    {
      site_id: Type.Optional(
        Type.Unsafe<number | null>({
          ...siteNumber,
          type: ['integer', 'null'],
          description:
            'The site of the template. Without it, or null: all sites, which needs a key for all sites or an administrator.',
        }),
      ),
      name: Type.Optional(changeable.name),
      expire_minutes: changeable.expire_minutes,
      max_uses: Type.Optional({ ...changeable.max_uses, default: 1 }),
      qos: Type.Optional(changeable.qos),
      unused_days: Type.Optional(changeable.unused_days),
    },
    { additionalProperties: false, title: 'NewTemplate' },
  ),
  answer: templateSchema,
  async handle({ db }, { actor, body }) {
    const { site_id: siteId = null, name = '', expire_minutes, max_uses = 1, qos = {}, unused_days = null } = body
    const template = await addTemplate(db, actor, {
      siteId,
      name,
      expireMinutes: expire_minutes,
      maxUses: max_uses,
      downKbps: qos.down_kbps ?? 0,
      upKbps: qos.up_kbps ?? 0,
      quotaMb: qos.quota_mb ?? 0,
      unusedDays: unused_days,
    })
    return templateToWire(template)
  },
})

export const updateTemplate = operation({
  method: 'PATCH',
  path: '/templates/{id}',
  operationId: 'updateTemplate',
  summary: 'Change a template. Vouchers that were created from it stay as they are',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  body: changeBody(
    {
      name: Type.Optional(changeable.name),
      expire_minutes: Type.Optional(changeable.expire_minutes),
      max_uses: Type.Optional(changeable.max_uses),
      qos: Type.Optional(changeable.qos),
      unused_days: Type.Optional(changeable.unused_days),
      is_default: Type.Optional(
        Type.Boolean({ description: 'True: the template that was the default of the same sites is not any more.' }),
      ),
      before: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          format: 'uuid',
          description: 'Moves the template before the one with this id. Null: moves it to the end.',
        }),
      ),
    },
    { title: 'TemplateChange', examples: [{ expire_minutes: 480 }] },
  ),
  answer: templateSchema,
  async handle({ db }, { actor, params, body }) {
    const { name, expire_minutes, max_uses, qos, unused_days, is_default, before } = body
    const change: TemplateChange = {
      name,
      expireMinutes: expire_minutes,
      maxUses: max_uses,
      downKbps: qos?.down_kbps,
      upKbps: qos?.up_kbps,
      quotaMb: qos?.quota_mb,
      unusedDays: unused_days,
      isDefault: is_default,
      before: before?.toLowerCase() ?? before,
    }
    return templateToWire(await setTemplate(db, actor, readUuid(params.id), change))
  },
})

export const deleteTemplate = operation({
  method: 'DELETE',
  path: '/templates/{id}',
  operationId: 'deleteTemplate',
  summary: 'Remove a template. Vouchers that were created from it stay as they are',
  scope: 'manage',
  role: 'manager',
  status: 204,
  params: uuidParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await removeTemplate(db, actor, readUuid(params.id))
  },
})

function templateToWire(template: Template): Static<typeof templateSchema> {
  return {
    id: template.id,
    site_id: template.siteId,
    name: template.name,
    automatic_name: isAutomaticName(template),
    max_uses: template.maxUses,
    expire_minutes: template.expireMinutes,
    qos: { down_kbps: template.downKbps, up_kbps: template.upKbps, quota_mb: template.quotaMb },
    unused_days: template.unusedDays,
    is_default: template.isDefault,
  }
}
