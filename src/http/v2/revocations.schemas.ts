import { Type } from 'typebox'
import { nextCursor, pageQuery, siteNumber, textOrNull, time, timeOrNull } from './fields.schemas.ts'
import { filterMembers } from './vouchers.schemas.ts'

const count = Type.Integer({ minimum: 0 })
const voucherIdText = Type.String({ maxLength: 64, description: 'The id of a voucher.' })

export const revocationBody = Type.Object(
  {
    voucher_ids: Type.Optional(Type.Array(voucherIdText, { minItems: 1, maxItems: 1_000 })),
    filter: Type.Optional(
      Type.Object(
        {
          site_id: Type.Optional(
            Type.Array(siteNumber, { minItems: 1, maxItems: 100, description: 'Without it: every site of the key.' }),
          ),
          ...filterMembers,
        },
        {
          additionalProperties: false,
          description:
            'As for the list of vouchers; at least one member besides site_id. Meant are those that can still be withdrawn, at most 10,000.',
        },
      ),
    ),
  },
  {
    title: 'RevocationRequest',
    additionalProperties: false,
    description: 'Either voucher_ids or filter.',
    examples: [{ filter: { reference: 'R-4711' } }],
  },
)

export const revocationSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    created_at: time,
    state: Type.Unsafe<'running' | 'done'>({
      type: 'string',
      enum: ['running', 'done'],
      description: 'Done when none is pending.',
    }),
    total: count,
    pending: count,
    revoked: count,
    ended: count,
    failed: count,
  },
  { title: 'Revocation' },
)

const rowSchema = Type.Object(
  {
    voucher_id: Type.String(),
    outcome: Type.Unsafe<'pending' | 'revoked' | 'ended' | 'failed'>({
      type: 'string',
      enum: ['pending', 'revoked', 'ended', 'failed'],
      description: 'ended: it was used up, expired or revoked before. failed: given up after seven days, or no_id.',
    }),
    failure: {
      ...textOrNull,
      description:
        'Why the last attempt failed: unreachable, timeout, busy, sign_in, forbidden, missing, rejected, failed, no_voucher, or no_id where the controller has no id for it.',
    },
    settled_at: timeOrNull,
  },
  { title: 'RevocationRow' },
)

export const revocationParams = Type.Object({ id: Type.String() })

export const revocationRowsQuery = Type.Object(pageQuery, { additionalProperties: false })

export const revocationRowPage = Type.Object({ rows: Type.Array(rowSchema), next_cursor: nextCursor })
