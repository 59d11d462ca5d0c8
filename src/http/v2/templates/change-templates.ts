import { Type } from 'typebox'
import {
  addTemplate,
  removeTemplate,
  setTemplate,
  type TemplateChange,
} from '#domain/templates/administer-templates.ts'
import { maxLimit, maxUnusedDays } from '#domain/templates/templates.queries.ts'
import { changeBody, readUuid, siteNumber, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { templateSchema, templateToWire } from './templates.ts'

const limit = Type.Integer({ minimum: 0, maximum: maxLimit })

const fields = {
  name: Type.String({ examples: ['8 hours'] }),
  max_uses: { ...limit, description: '0 means any number of devices.' },
  expire_minutes: Type.Integer({ minimum: 1, maximum: maxLimit, description: 'Minutes from the first use.' }),
  qos: Type.Object(
    { down_kbps: Type.Optional(limit), up_kbps: Type.Optional(limit), quota_mb: Type.Optional(limit) },
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
      name: fields.name,
      expire_minutes: fields.expire_minutes,
      max_uses: Type.Optional({ ...fields.max_uses, default: 1 }),
      qos: Type.Optional(fields.qos),
      unused_days: Type.Optional(fields.unused_days),
    },
    { additionalProperties: false, title: 'NewTemplate' },
  ),
  answer: templateSchema,
  async handle({ db }, { actor, body }) {
    const { site_id: siteId = null, name, expire_minutes, max_uses = 1, qos = {}, unused_days = null } = body
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
      name: Type.Optional(fields.name),
      expire_minutes: Type.Optional(fields.expire_minutes),
      max_uses: Type.Optional(fields.max_uses),
      qos: Type.Optional(fields.qos),
      unused_days: Type.Optional(fields.unused_days),
    },
    { title: 'TemplateChange', examples: [{ expire_minutes: 480 }] },
  ),
  answer: templateSchema,
  async handle({ db }, { actor, params, body: { name, expire_minutes, max_uses, qos, unused_days } }) {
    const change: TemplateChange = {
      name,
      expireMinutes: expire_minutes,
      maxUses: max_uses,
      downKbps: qos?.down_kbps,
      upKbps: qos?.up_kbps,
      quotaMb: qos?.quota_mb,
      unusedDays: unused_days,
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
