import { Type } from 'typebox'
import { siteNumber, time } from './fields.schemas.ts'

const most = 2_147_483_647
const limit = Type.Integer({ minimum: 0, maximum: most })

export const nameField = Type.String({
  minLength: 1,
  description: 'For people, at most 244 characters. It is stored with the date in front of it: 2026-11-15_Room 12.',
})

/** What vouchers are to be like, one or many. */
export const wishFields = {
  site_id: siteNumber,
  template_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Its limits hold where none are given here.' }),
  ),
  max_uses: Type.Optional({ ...limit, default: 1, description: 'How many devices; 0: any number.' }),
  expire_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most,
      default: 480,
      description:
        'Counted from the first use. Without it but with valid_until: up to that time, or as many as the controller takes.',
    }),
  ),
  qos: Type.Optional(
    Type.Object(
      { down_kbps: Type.Optional(limit), up_kbps: Type.Optional(limit), quota_mb: Type.Optional(limit) },
      { additionalProperties: false, description: '0: no limit.' },
    ),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description: 'Your own word for it, such as a reservation number: to be found and withdrawn by.',
    }),
  ),
  valid_until: Type.Optional({
    ...time,
    description: 'Withdrawn at this time, used or not. At least one minute ahead.',
  }),
}

export const voucherCreation = Type.Object(
  { ...wishFields, name: nameField },
  {
    additionalProperties: false,
    title: 'VoucherCreation',
    examples: [{ site_id: 1, name: 'Room 12', reference: 'R-4711', valid_until: '2099-01-01T11:00:00+01:00' }],
  },
)
