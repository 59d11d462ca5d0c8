import { type Static, type TObject, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { Requester } from '#domain/actor.ts'
import { createVoucher as create } from '#domain/creating/create-voucher.ts'
import { DomainError } from '#domain/errors.ts'
import { endOf, latestValidUntil, nextChange, type RecordedVoucher, statusAt } from '#domain/record/voucher.ts'
import { isSearch, type VoucherFilter } from '#domain/record/voucher-filter.ts'
import { trimVoucherName } from '#domain/record/voucher-shape.ts'
import { findRecordedVoucher, listNewestRecorded, listVoucherPage } from '#domain/vouchers/vouchers.queries.ts'
import { formattedCode } from '#drivers/driver.ts'
import { outcomeBeforeCreating } from '../../server/read-request.ts'
import { getOrRender } from '../../server/rendered-lists.ts'
import {
  count,
  createdBy,
  isoOrNull,
  publicId,
  readPublicId,
  siteNumber,
  textOrNull,
  time,
  timeOrNull,
} from '../kit/fields.ts'
import { type NamedSite, operation, type V2Context } from '../kit/operation.ts'
import { cutPage, nextCursor, pageQuery, readTimeCursor, timeCursor } from '../kit/pages.ts'
import { messageField } from '../messages/message-fields.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { checkEnds, creationFields, nameField, toOptions } from './creation-options.ts'
import { checkPublicId, filterFields, readFilterSites, readVoucherFilter } from './voucher-filter.ts'

export const statusSchema = Type.Unsafe<'valid' | 'used' | 'expired' | 'revoked'>({
  type: 'string',
  enum: ['valid', 'used', 'expired', 'revoked'],
  description: 'Only a valid voucher can be redeemed.',
})

const exampleId = '1-019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d'
const idDescription = 'The number of the site, a hyphen and a UUID.'

export const voucherParams = Type.Object({
  id: Type.String({ examples: [exampleId], description: idDescription }),
})

export const voucherSchema = Type.Object(
  {
    id: Type.String({ description: idDescription, examples: [exampleId] }),
    site_id: siteNumber,
    code: Type.String(),
    formatted_code: Type.String(),
    name: {
      ...Type.String(),
      description: 'The name that you sent. For a voucher that was created on the controller: its note without a date.',
    },
    controller_name: {
      ...Type.String(),
      description: 'The name on the controller, with the date and without a tag. It never changes.',
    },
    reference: { ...textOrNull, description: 'Your own text for the voucher, such as a reservation number.' },
    status: statusSchema,
    max_uses: { ...count, description: '0 means any number of devices.' },
    used_count: count,
    expire_minutes: { ...count, description: 'Minutes from the first use.' },
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }, { description: '0 means no limit.' }),
    created_at: time,
    first_used_at: timeOrNull,
    expires_at: { ...timeOrNull, description: 'When the minutes end. Null until the first use.' },
    valid_until: { ...timeOrNull, description: 'The voucher is withdrawn at this time, used or not.' },
    latest_valid_until: {
      ...timeOrNull,
      description: 'The latest time to which valid_until can be changed. Null: there is no limit.',
    },
    unused_until: { ...timeOrNull, description: 'The voucher is withdrawn at this time if nobody has used it.' },
    revoked_at: timeOrNull,
    ends_at: { ...timeOrNull, description: 'The earliest of expires_at, valid_until and revoked_at.' },
    synced_at: timeOrNull,
    created_by: Type.Union([createdBy, Type.Null()], {
      description: 'Null if the voucher was created on the controller.',
    }),
    batch_id: textOrNull,
  },
  { title: 'Voucher' },
)

/** The filters of a list, which its export has too. */
export const listFilterFields = {
  site_id: Type.Optional(
    Type.Array(siteNumber, {
      maxItems: 100,
      description: 'Only this site. May be repeated. Without it: all sites of the key.',
    }),
  ),
  id: Type.Optional(
    Type.Array(Type.String({ maxLength: 64, rule: checkPublicId }), {
      maxItems: 100,
      description: 'Only vouchers with this id. May be repeated.',
    }),
  ),
  status: Type.Optional(
    Type.Array(statusSchema, {
      minItems: 1,
      maxItems: 4,
      description: 'Only vouchers with this status. May be repeated.',
    }),
  ),
  ...filterFields,
}

export const listVouchers = operation({
  method: 'GET',
  path: '/vouchers',
  operationId: 'listVouchers',
  summary: 'List vouchers of one, several or all sites of the key, newest first',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object({ ...listFilterFields, ...pageQuery }, { additionalProperties: false }),
  answer: Type.Object({ vouchers: Type.Array(voucherSchema), next_cursor: nextCursor }),
  async handle(ctx, { actor, now, query, namedSite }) {
    const { site_id, limit = 50, cursor, ...filters } = query
    if (namedSite && cursor === undefined && Object.keys(filters).length === 0)
      return answerNewest(ctx, namedSite, now, limit)
    const after = readTimeCursor(cursor)
    const found = await readMatching(ctx, { actor, now, query }, (db, sites, filter) =>
      listVoucherPage(db, sites, { ...filter, after }, limit + 1),
    )
    return pageToWire(now, found, limit)
  },
})

function pageToWire(now: Date, found: RecordedVoucher[], limit: number) {
  const { rows, next_cursor } = cutPage(found, limit, timeCursor)
  return { vouchers: rows.map((voucher) => voucherToWire(now, voucher)), next_cursor }
}

/** The newest vouchers of one site without a filter. Programs poll this list, and it has seldom changed. */
async function answerNewest(
  { requestDb, renderedLists }: V2Context,
  { id, version }: NamedSite,
  now: Date,
  limit: number,
): Promise<Buffer> {
  return getOrRender(renderedLists, `v2 ${id} ${limit}`, { version, now: now.toISOString() }, async () => {
    const found = await listNewestRecorded(requestDb, id, limit + 1)
    const page = pageToWire(now, found, limit)
    const validUntil = nextChange(now, found)
    return { validUntil: isoOrNull(validUntil), body: Buffer.from(JSON.stringify(page)) }
  })
}

type ListCall = { actor: Requester; now: Date; query: Static<TObject<typeof listFilterFields>> }

/** Reads vouchers that match the filters of a list: from `db`, or as a search. */
export async function readMatching<T>(
  { db, searches }: Pick<V2Context, 'searches'> & { db: Queryable },
  { actor, now, query }: ListCall,
  read: (from: Queryable, sites: number[] | 'all', filter: VoucherFilter) => Promise<T>,
): Promise<T> {
  const items = query.id?.flatMap((id) => readPublicId(id) ?? [])
  const filter = { now, status: query.status, ids: items?.map(({ id }) => id), ...readVoucherFilter(query) }
  const sites = await findAllowedSites(db, actor, readFilterSites(query) ?? items?.map(({ siteId }) => siteId))
  return isSearch(sites, filter) ? searches.run(actor, (from) => read(from, sites, filter)) : read(db, sites, filter)
}

export const getVoucher = operation({
  method: 'GET',
  path: '/vouchers/{id}',
  operationId: 'getVoucher',
  summary: 'Get one voucher',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: voucherParams,
  answer: voucherSchema,
  handle: async ({ db }, { actor, now, params }) => voucherToWire(now, await findVisibleVoucher(db, actor, params.id)),
})

/** Finds a voucher by its public id. A voucher on a site that the actor may not use counts as not found. */
export async function findVisibleVoucher(db: Queryable, actor: Requester, id: string): Promise<RecordedVoucher> {
  const item = readPublicId(id)
  if (!item) throw new DomainError('not_found')
  await findAllowedSites(db, actor, [item.siteId])
  const voucher = await findRecordedVoucher(db, item.siteId, item.id)
  if (!voucher) throw new DomainError('not_found')
  return voucher
}

export const createVoucher = operation({
  method: 'POST',
  path: '/vouchers',
  operationId: 'createVoucher',
  summary:
    'Create one voucher on the controller of the site. A failure has the header Voucher-Outcome, which says whether a voucher may exist',
  scope: 'write',
  role: 'desk',
  body: Type.Object(
    { ...creationFields, name: nameField, message: messageField },
    {
      additionalProperties: false,
      title: 'VoucherCreation',
      rule: checkEnds,
      examples: [{ site_id: 1, name: 'Room 12', reference: 'R-4711', valid_until: '2099-01-01T11:00:00+01:00' }],
    },
  ),
  status: 201,
  acceptsIdempotencyKey: true,
  failureHeaders: outcomeBeforeCreating,
  answer: voucherSchema,
  async handle(ctx, { actor, now, language, body, idempotencyKey, markReplayed }) {
    const { created, isRepeat } = await create(ctx, {
      actor,
      message: body.message && { language: undefined, ...body.message, languageOfCaller: language },
      siteId: body.site_id,
      idempotencyKey,
      contents: body,
      hasAddress: body.message !== undefined,
      name: trimVoucherName(body.name),
      options: toOptions(body),
    })
    if (isRepeat) {
      await findAllowedSites(ctx.db, actor, [created.siteId]) // the key may have lost the site since the first request
      markReplayed()
    }
    const voucher = await findRecordedVoucher(ctx.db, created.siteId, created.voucherId)
    return voucherToWire(now, voucher as RecordedVoucher)
  },
})

export function voucherToWire(now: Date, voucher: RecordedVoucher): Static<typeof voucherSchema> {
  return {
    id: publicId(voucher),
    site_id: voucher.siteId,
    code: voucher.code,
    formatted_code: formattedCode(voucher.code),
    name: voucher.name,
    controller_name: voucher.controllerName,
    reference: voucher.reference,
    status: statusAt(now, voucher),
    max_uses: voucher.maxUses,
    used_count: voucher.usedCount,
    expire_minutes: voucher.expireMinutes,
    qos: { down_kbps: voucher.downKbps, up_kbps: voucher.upKbps, quota_mb: voucher.quotaMb },
    created_at: voucher.createdAt.toISOString(),
    first_used_at: isoOrNull(voucher.firstUsedAt),
    expires_at: isoOrNull(voucher.expiresAt),
    valid_until: isoOrNull(voucher.validUntil),
    latest_valid_until: isoOrNull(latestValidUntil(now, voucher)),
    unused_until: isoOrNull(voucher.unusedUntil),
    revoked_at: isoOrNull(voucher.revokedAt),
    ends_at: isoOrNull(endOf(voucher)),
    synced_at: isoOrNull(voucher.syncedAt),
    created_by: voucher.maker,
    batch_id: voucher.batchId && publicId({ siteId: voucher.siteId, id: voucher.batchId }),
  }
}
