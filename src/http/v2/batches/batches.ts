import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { Requester } from '#domain/actor.ts'
import { type Batch, maxBatchSize, patienceSeconds, type RequestedRow } from '#domain/batches/batch.ts'
import { findBatch, listBatches as listRecorded } from '#domain/batches/batches.queries.ts'
import { cancelBatch as cancel, retryBatch as retry } from '#domain/batches/change-batch.ts'
import { createBatch as create } from '#domain/batches/create-batch.ts'
import { DomainError } from '#domain/errors.ts'
import { trimVoucherName, untilValidUntil } from '#domain/record/voucher-shape.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import type { Language } from '../../server/preferred-language.ts'
import {
  count,
  countOrNull,
  createdBy,
  isoOrNull,
  publicId,
  readPublicId,
  type SiteItem,
  siteNumber,
  textOrNull,
  time,
  timeOrNull,
} from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nextCursor, pageQuery, readTimeCursor, timeCursor } from '../kit/pages.ts'
import { messageField } from '../messages/message-fields.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { checkEnds, creationFields, nameField, toOptions } from '../vouchers/creation-options.ts'

const batchId = Type.String({
  examples: ['1-019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d'],
  description: 'The number of the site, a hyphen and a UUID.',
})

export const batchParams = Type.Object({ id: batchId })

const batchSchema = Type.Object(
  {
    id: batchId,
    site_id: siteNumber,
    state: Type.Unsafe<'running' | 'done' | 'cancelled'>({ type: 'string', enum: ['running', 'done', 'cancelled'] }),
    size: count,
    waiting: count,
    under_way: { ...count, description: 'Number of rows that were sent to the controller and have no outcome yet.' },
    made: count,
    failed: count,
    cancelled: count,
    reference: textOrNull,
    max_uses: count,
    expire_minutes: {
      ...count,
      description:
        'Minutes from the first use, as requested. valid_until may shorten them. 2147483647 if only valid_until ends the vouchers.',
    },
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }),
    valid_until: timeOrNull,
    extendable_until: timeOrNull,
    unused_days: countOrNull,
    created_at: time,
    held_up_since: {
      ...timeOrNull,
      description: 'Since when the controller cannot create vouchers. The service retries.',
    },
    held_up_until: {
      ...timeOrNull,
      description: 'When the waiting rows fail as unreachable, if the controller still cannot create vouchers.',
    },
    finished_at: timeOrNull,
    created_by: createdBy,
  },
  { title: 'Batch' },
)

export const listBatches = operation({
  method: 'GET',
  path: '/batches',
  operationId: 'listBatches',
  summary: 'List batches of one, several or all sites of the key, newest first',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(
    {
      site_id: Type.Optional(
        Type.Array(siteNumber, {
          maxItems: 100,
          description: 'Only this site. May be repeated. Without it: all sites of the key.',
        }),
      ),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({ batches: Type.Array(batchSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, query: { site_id, limit = 50, cursor } }) {
    const sites = await findAllowedSites(db, actor, site_id)
    const found = await listRecorded(db, sites, { after: readTimeCursor(cursor), limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, timeCursor)
    return { batches: rows.map(batchToWire), next_cursor }
  },
})

export const getBatch = operation({
  method: 'GET',
  path: '/batches/{id}',
  operationId: 'getBatch',
  summary: 'Get one batch and its progress',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: batchParams,
  answer: batchSchema,
  handle: async ({ db }, { actor, params }) => batchToWire(await findVisibleBatch(db, actor, params.id)),
})

const batchRowCreation = Type.Object(
  {
    name: nameField,
    reference: creationFields.reference,
    max_uses: Type.Optional({ ...creationFields.max_uses, description: 'Number of devices; 0 means any number.' }),
    expire_minutes: Type.Optional({ ...creationFields.expire_minutes, description: 'Minutes from the first use.' }),
    valid_until: creationFields.valid_until,
    extendable_until: Type.Optional({
      ...creationFields.extendable_until,
      description: 'As for the batch. Requires the valid_until of the row.',
    }),
    message: Type.Optional({
      ...messageField,
      description:
        'An e-mail that tells the guest the code as soon as the voucher of the row is recorded. If the row fails or is cancelled, nothing is sent and the address is erased at once, so a retry sends nothing either.',
    }),
  },
  { additionalProperties: false, title: 'BatchRowCreation', rule: checkEnds },
)

const batchCreation = Type.Object(
  {
    ...creationFields,
    name: Type.Optional({ ...nameField, description: 'Name of every voucher of the batch. Requires count.' }),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: maxBatchSize })),
    names: Type.Optional(
      Type.Array(nameField, {
        minItems: 1,
        maxItems: maxBatchSize,
        description:
          'One voucher for each name, instead of name and count. Each different name takes a call to the controller.',
      }),
    ),
    rows: Type.Optional(
      Type.Array(batchRowCreation, {
        minItems: 1,
        maxItems: maxBatchSize,
        description:
          'Rows instead of names: each row makes one voucher. A row may have its own reference, number of devices, end and message. The end of a row is expire_minutes, valid_until or both, and replaces the end of the batch. With only valid_until, the voucher lasts until then.',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'BatchCreation',
    rule: (body: Record<string, unknown>) => [...checkNames(body), ...checkEnds(body)],
    examples: [
      { site_id: 1, name: 'Sommerfest', count: 500, expire_minutes: 720 },
      {
        site_id: 1,
        expire_minutes: 1440,
        rows: [
          { name: 'Huber', reference: '204', max_uses: 4, message: { email: 'huber@example.com' } },
          { name: 'Brandt', expire_minutes: 4320 },
        ],
      },
    ],
  },
)

/** Room for 1,000 rows of half a kilobyte each. */
const maxBatchKiB = 512

export const createBatch = operation({
  method: 'POST',
  path: '/batches',
  operationId: 'createBatch',
  summary: 'Create up to 1,000 vouchers in the background',
  scope: 'write',
  role: 'desk',
  body: batchCreation,
  maxBodyKiB: maxBatchKiB,
  status: 202,
  acceptsIdempotencyKey: true,
  answer: batchSchema,
  async handle(ctx, { actor, language, body, idempotencyKey, markReplayed }) {
    const { batch, isRepeat } = await create(ctx, {
      actor,
      siteId: body.site_id,
      idempotencyKey,
      contents: body,
      hasAddress: body.rows?.some(({ message }) => message !== undefined) ?? false,
      rows: readRows(body, language),
      options: toOptions(body),
    })
    if (isRepeat) {
      await findAllowedSites(ctx.db, actor, [batch.siteId]) // the key may have lost the site since the first request
      markReplayed()
    }
    return currentBatch(ctx.db, batch)
  },
})

/** The rows, from either `rows`, `names`, or `name` and `count`. */
function readRows(
  { name = '', count: size = 0, names, rows }: Static<typeof batchCreation>,
  languageOfCaller: Language,
): RequestedRow[] {
  if (rows) return rows.map((row) => toRow(row, languageOfCaller))
  return (names ?? Array<string>(size).fill(name)).map((each) => ({ name: trimVoucherName(each) }))
}

function toRow(row: Static<typeof batchRowCreation>, languageOfCaller: Language): RequestedRow {
  const { name, reference, max_uses: maxUses, expire_minutes, valid_until, extendable_until } = row
  const hasEnd = expire_minutes !== undefined || valid_until !== undefined
  const end = {
    expireMinutes: expire_minutes ?? untilValidUntil,
    validUntil: valid_until === undefined ? null : new Date(valid_until),
    extendableUntil: extendable_until === undefined ? null : new Date(extendable_until),
  }
  const message = row.message && { language: undefined, ...row.message, languageOfCaller }
  return { name: trimVoucherName(name), reference, maxUses, message, ...(hasEnd && { end }) }
}

function checkNames({ name, count: size, names, rows }: Record<string, unknown>): InvalidField[] {
  const allowed = { fields: ['names', 'rows', 'name and count'] }
  const hasName = name !== undefined || size !== undefined
  if (rows !== undefined && (names !== undefined || hasName)) return [{ field: 'rows', code: 'not_together', allowed }]
  if (names !== undefined && hasName) return [{ field: 'names', code: 'not_together', allowed }]
  if (names !== undefined || rows !== undefined) return []
  if (!hasName) return [{ field: 'name', code: 'one_of_required', allowed }]
  const missing = name === undefined ? 'name' : size === undefined ? 'count' : undefined
  return missing === undefined ? [] : [{ field: missing, code: 'required' }]
}

export const cancelBatch = operation({
  method: 'POST',
  path: '/batches/{id}/cancel',
  operationId: 'cancelBatch',
  summary: 'Cancel a batch. Vouchers that were already created stay valid',
  scope: 'write',
  role: 'desk',
  status: 202,
  params: batchParams,
  answer: batchSchema,
  async handle(ctx, { actor, params }) {
    const batch = await findVisibleBatch(ctx.db, actor, params.id)
    await cancel(ctx, batch)
    return currentBatch(ctx.db, batch)
  },
})

export const retryBatch = operation({
  method: 'POST',
  path: '/batches/{id}/retry',
  operationId: 'retryBatch',
  summary: 'Retry the rows of a batch that failed or were cancelled',
  scope: 'write',
  role: 'desk',
  status: 202,
  params: batchParams,
  answer: batchSchema,
  async handle(ctx, { actor, params }) {
    const batch = await findVisibleBatch(ctx.db, actor, params.id)
    await retry(ctx, batch)
    return currentBatch(ctx.db, batch)
  },
})

/** Finds a batch by its public id. A batch on a site that the actor may not use counts as not found. */
export async function findVisibleBatch(db: Queryable, actor: Requester, id: string): Promise<Batch> {
  const item = readPublicId(id)
  if (!item) throw new DomainError('not_found')
  await findAllowedSites(db, actor, [item.siteId])
  const batch = await findBatch(db, item)
  if (!batch) throw new DomainError('not_found')
  return batch
}

async function currentBatch(db: Queryable, item: SiteItem): Promise<Static<typeof batchSchema>> {
  return batchToWire((await findBatch(db, item)) as Batch)
}

function batchToWire(batch: Batch): Static<typeof batchSchema> {
  const { limits, rows } = batch
  return {
    id: publicId(batch),
    site_id: batch.siteId,
    state: stateOf(batch),
    size: sizeOf(batch),
    waiting: rows.waiting,
    under_way: rows.sent,
    made: rows.made,
    failed: rows.failed,
    cancelled: rows.cancelled,
    reference: batch.reference,
    max_uses: limits.maxUses,
    expire_minutes: limits.expireMinutes,
    qos: { down_kbps: limits.downKbps, up_kbps: limits.upKbps, quota_mb: limits.quotaMb },
    valid_until: isoOrNull(batch.validUntil),
    extendable_until: isoOrNull(batch.extendableUntil),
    unused_days: batch.unusedDays,
    created_at: batch.createdAt.toISOString(),
    held_up_since: isoOrNull(batch.stalledSince),
    held_up_until: isoOrNull(stalledUntil(batch)),
    finished_at: isoOrNull(batch.finishedAt),
    created_by: batch.maker,
  }
}

/** The number of all rows. */
export function sizeOf({ rows }: Batch): number {
  return Object.values(rows).reduce((sum, inState) => sum + inState, 0)
}

function stalledUntil({ stalledSince }: Batch): Date | null {
  return stalledSince && new Date(stalledSince.getTime() + patienceSeconds * 1000)
}

function stateOf({ finishedAt, rows }: Batch): 'running' | 'done' | 'cancelled' {
  if (finishedAt === null) return 'running'
  return rows.cancelled > 0 ? 'cancelled' : 'done'
}
