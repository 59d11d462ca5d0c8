import { Type } from 'typebox'
import {
  nextCursor,
  pageQuery,
  searchText,
  siteNumber,
  textOrNull,
  time,
  timeOrNull,
  typedCode,
  uuidOrNull,
} from './fields.schemas.ts'

const count = Type.Integer({ minimum: 0 })

const statusSchema = Type.Unsafe<'valid' | 'used' | 'expired' | 'revoked'>({
  type: 'string',
  enum: ['valid', 'used', 'expired', 'revoked'],
  description: 'Only a valid voucher can be redeemed.',
})

const idWords = 'The number of the site, a hyphen, a UUID.'

export const voucherSchema = Type.Object(
  {
    id: Type.String({ description: idWords }),
    site_id: siteNumber,
    code: Type.String(),
    formatted_code: Type.String(),
    name: Type.String(),
    reference: { ...textOrNull, description: 'Your own word for it, such as a reservation number.' },
    status: statusSchema,
    max_uses: { ...count, description: '0: any number of devices.' },
    used_count: count,
    expire_minutes: { ...count, description: 'Counted from the first use.' },
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }, { description: '0: no limit.' }),
    created_at: time,
    first_used_at: timeOrNull,
    expires_at: { ...timeOrNull, description: 'Null until the first use.' },
    valid_until: timeOrNull,
    revoked_at: timeOrNull,
    synced_at: timeOrNull,
    source: { ...uuidOrNull, description: 'The key or person that made it; null for one made on the controller.' },
    batch_id: textOrNull,
  },
  { title: 'Voucher' },
)

export const voucherPage = Type.Object({ vouchers: Type.Array(voucherSchema), next_cursor: nextCursor })

/** Lists are made by them and revocations too: what is seen is what is meant. */
export const filterMembers = {
  text: Type.Optional({ ...searchText, description: 'Part of the name, in any case.' }),
  reference: Type.Optional({ ...searchText, description: 'Exactly this reference.' }),
  // The length keeps out `urn:uuid:…`, which the validator of queries takes for a UUID and PostgreSQL does not.
  source: Type.Optional(Type.String({ format: 'uuid', maxLength: 36, description: 'Made by this key or person.' })),
  batch_id: Type.Optional(Type.String({ maxLength: 60, description: 'Made in this batch.' })),
  created_after: Type.Optional({ ...time, description: 'Made after this time, not at it.' }),
  created_before: Type.Optional({ ...time, description: 'Made before this time, not at it.' }),
  code: Type.Optional({ ...typedCode, description: 'What the code begins with.' }),
}

export const filterSchema = Type.Object(filterMembers)

export const voucherListQuery = Type.Object(
  {
    site_id: Type.Optional(
      Type.Array(siteNumber, { maxItems: 100, description: 'May be repeated. Without it: every site of the key.' }),
    ),
    status: Type.Optional(statusSchema),
    ...filterMembers,
    ...pageQuery,
  },
  { additionalProperties: false },
)

export const voucherParams = Type.Object({
  id: Type.String({ examples: ['1-019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d'], description: idWords }),
})

export const lookupQuery = Type.Object({ site_id: siteNumber, code: typedCode }, { additionalProperties: false })
