import { type Static, type TObject, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { CreationOptions } from '#domain/creating/creation.ts'
import { minutesLeft, toVoucherName } from '#domain/creating/voucher-shape.ts'
import type { DomainError } from '#domain/errors.ts'
import { findTemplate } from '#domain/templates/templates.queries.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { siteNumber, time } from './kit/fields.ts'
import { type InvalidField, InvalidRequest, invalidFieldsOf } from './kit/invalid-fields.ts'

const maxInteger = 2_147_483_647
const limit = Type.Integer({ minimum: 0, maximum: maxInteger })

export const nameField = Type.String({
  minLength: 1,
  description: 'Display name, at most 244 characters. The service puts the date in front of it: 2026-11-15_Room 12.',
  rule: checkName,
})

function checkName(text: string): InvalidField[] {
  try {
    toVoucherName(text)
    return []
  } catch (error) {
    return invalidFieldsOf(error as DomainError).map((invalid) => ({ ...invalid, field: '' }))
  }
}

/** The fields that a new voucher and a new batch have in common. */
export const creationFields = {
  site_id: siteNumber,
  template_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The limits of this template apply unless the request has its own.' }),
  ),
  max_uses: Type.Optional({ ...limit, default: 1, description: 'Number of devices; 0 means any number.' }),
  expire_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxInteger,
      default: 480,
      description:
        'Minutes from the first use. Default with valid_until: the time until then, or as many minutes as the controller accepts.',
    }),
  ),
  qos: Type.Optional(
    Type.Object(
      { down_kbps: Type.Optional(limit), up_kbps: Type.Optional(limit), quota_mb: Type.Optional(limit) },
      { additionalProperties: false, description: '0 means no limit.' },
    ),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description: 'Your own text for it, such as a reservation number. Vouchers can be found and withdrawn by it.',
    }),
  ),
  valid_until: Type.Optional({
    ...time,
    description: 'The voucher is withdrawn at this time, used or not. At least one minute ahead.',
  }),
}

type RequestedOptions = Static<TObject<typeof creationFields>>
type Limits = Omit<VoucherShape, 'name'>

const defaultLimits = { maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** Completes the requested options from the template, or else from the defaults. The actor must be allowed to use the site. */
export async function readCreationOptions(
  db: Queryable,
  requested: RequestedOptions,
): Promise<CreationOptions & { limits: Limits }> {
  const { site_id, reference = null, valid_until, qos = {} } = requested
  const validUntil = valid_until === undefined ? null : new Date(valid_until)
  const defaults = validUntil === null ? defaultLimits : { ...defaultLimits, expireMinutes: minutesLeft }
  const base =
    requested.template_id === undefined ? defaults : await findTemplateLimits(db, site_id, requested.template_id)
  const limits = {
    maxUses: requested.max_uses ?? base.maxUses,
    expireMinutes: requested.expire_minutes ?? base.expireMinutes,
    downKbps: qos.down_kbps ?? base.downKbps,
    upKbps: qos.up_kbps ?? base.upKbps,
    quotaMb: qos.quota_mb ?? base.quotaMb,
  }
  return { limits, reference, validUntil }
}

async function findTemplateLimits(db: Queryable, siteId: number, templateId: string): Promise<Limits> {
  const template = await findTemplate(db, templateId, siteId)
  if (!template) throw new InvalidRequest({ field: 'template_id', code: 'not_usable' })
  return template
}
