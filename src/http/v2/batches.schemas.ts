import { Type } from 'typebox'
import { maxBatchSize } from '#domain/batches/batch.ts'
import { nameField, wishFields } from './creation.schemas.ts'
import { nextCursor, pageQuery, siteNumber, textOrNull, time, timeOrNull, uuidOrNull } from './fields.schemas.ts'

const count = Type.Integer({ minimum: 0 })

export const batchCreation = Type.Object(
  {
    ...wishFields,
    name: Type.Optional({ ...nameField, description: 'Of every voucher of the batch; with count.' }),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: maxBatchSize })),
    names: Type.Optional(
      Type.Array(nameField, {
        minItems: 1,
        maxItems: maxBatchSize,
        description:
          'One voucher for each, instead of name and count. Different names take a call to the controller each.',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'BatchCreation',
    examples: [{ site_id: 1, name: 'Sommerfest', count: 500, expire_minutes: 720 }],
  },
)

export const batchSchema = Type.Object(
  {
    id: Type.String({ description: 'The number of the site, a hyphen, a UUID.' }),
    site_id: siteNumber,
    state: Type.Unsafe<'running' | 'done' | 'cancelled'>({ type: 'string', enum: ['running', 'done', 'cancelled'] }),
    size: count,
    waiting: count,
    under_way: { ...count, description: 'Asked of the controller; what became of them is not known yet.' },
    made: count,
    failed: count,
    cancelled: count,
    reference: textOrNull,
    max_uses: count,
    expire_minutes: { ...count, description: 'As asked; valid_until may shorten it.' },
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }),
    valid_until: timeOrNull,
    created_at: time,
    held_up_since: { ...timeOrNull, description: 'The controller lets nothing through since then; it is tried again.' },
    finished_at: timeOrNull,
    source: { ...uuidOrNull, description: 'The key that asked for it.' },
  },
  { title: 'Batch' },
)

export const batchPage = Type.Object({ batches: Type.Array(batchSchema), next_cursor: nextCursor })

export const batchListQuery = Type.Object(
  {
    site_id: Type.Optional(
      Type.Array(siteNumber, { maxItems: 100, description: 'May be repeated. Without it: every site of the key.' }),
    ),
    ...pageQuery,
  },
  { additionalProperties: false },
)

export const batchParams = Type.Object({ id: Type.String() })

const outcomes = ['waiting', 'under_way', 'made', 'failed', 'cancelled'] as const

const batchRowSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    name: Type.String(),
    outcome: Type.Unsafe<(typeof outcomes)[number]>({ type: 'string', enum: [...outcomes] }),
    failure: {
      ...textOrNull,
      description:
        'Why there is no voucher: unreachable, sign_in, forbidden, rejected, missing, no_voucher, valid_until_passed, site_inactive or key_revoked.',
    },
    voucher_id: textOrNull,
    code: textOrNull,
    formatted_code: textOrNull,
  },
  { title: 'BatchRow' },
)

export const batchRowPage = Type.Object({ rows: Type.Array(batchRowSchema), next_cursor: nextCursor })

export const batchRowsQuery = Type.Object(pageQuery, { additionalProperties: false })

export const batchCsvQuery = Type.Object(
  {
    separator: Type.Optional(
      Type.Unsafe<',' | ';'>({
        type: 'string',
        enum: [',', ';'],
        default: ',',
        description: 'A semicolon is what a German Excel expects.',
      }),
    ),
  },
  { additionalProperties: false },
)
