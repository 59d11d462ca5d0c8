import { type Static, type TObject, Type } from 'typebox'
import type { DomainError } from '#domain/errors.ts'
import type { RequestedOptions } from '#domain/record/complete-options.ts'
import { toVoucherName } from '#domain/record/voucher-shape.ts'
import { maxUnusedDays } from '#domain/templates/templates.queries.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import { invalidFieldsOf } from '../../errors/field-errors.ts'
import { siteNumber, time } from '../kit/fields.ts'

const maxInteger = 2_147_483_647
const limit = Type.Integer({ minimum: 0, maximum: maxInteger })

export const nameField = Type.String({
  minLength: 1,
  description:
    'Display name, at most 244 characters. On the controller, the service puts the date in front of it: 2026-11-15_Room 12.',
  rule: checkName,
})

/** The only check of a name in API v2. Handlers only trim it. */
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
  max_uses: Type.Optional({
    ...limit,
    examples: [1],
    description: 'Number of devices; 0 means any number. Default: that of the template, otherwise 1.',
  }),
  expire_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxInteger,
      examples: [480],
      description:
        'Minutes from the first use. Default: those of the template. Without a template: the time until valid_until, but not more than the controller accepts. Without both: 480.',
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
      description:
        'Your own text for the voucher, such as a reservation number. You can find and withdraw vouchers by it.',
    }),
  ),
  valid_until: Type.Optional({
    ...time,
    description: 'The voucher is withdrawn at this time, used or not. At least one minute ahead.',
  }),
  extendable_until: Type.Optional({
    ...time,
    description:
      'valid_until can later be moved at least to this time, because the voucher gets enough minutes on the controller. This does not hold if expire_minutes or the template gives fewer minutes. Must not be before valid_until, which is the default, nor further ahead than a voucher can last: 1,000,000 minutes.',
  }),
  unused_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxUnusedDays,
      description: 'The voucher is withdrawn after this many days if nobody has used it.',
    }),
  ),
}

export function toOptions(requested: Static<TObject<typeof creationFields>>): RequestedOptions {
  const { template_id, reference = null, valid_until, extendable_until, qos = {}, unused_days } = requested
  return {
    templateId: template_id,
    limits: {
      maxUses: requested.max_uses,
      expireMinutes: requested.expire_minutes,
      downKbps: qos.down_kbps,
      upKbps: qos.up_kbps,
      quotaMb: qos.quota_mb,
    },
    reference,
    validUntil: valid_until === undefined ? null : new Date(valid_until),
    extendableUntil: extendable_until === undefined ? null : new Date(extendable_until),
    unusedDays: unused_days,
  }
}

/** A rule of creations: `extendable_until` needs a `valid_until` that is not later. */
export function checkEnds({ valid_until, extendable_until }: Record<string, unknown>): InvalidField[] {
  if (extendable_until === undefined) return []
  if (valid_until === undefined) return [{ field: 'valid_until', code: 'required' }]
  return new Date(String(extendable_until)) < new Date(String(valid_until))
    ? [{ field: 'extendable_until', code: 'before_valid_until' }]
    : []
}
