import { type Static, Type } from 'typebox'
import type { Database, Queryable } from '#db/database.ts'
import type { Requester } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { listExistingVouchers } from '#domain/revocations/revocable-vouchers.queries.ts'
import {
  findRevocation,
  listRevocations as listRecordedRevocations,
  listRevocationRows as listRecordedRows,
  type Revocation,
  type RevocationRow,
  type Viewer,
} from '#domain/revocations/revocations.queries.ts'
import { chooseByFilter, revokeVouchers as revoke } from '#domain/revocations/revoke-vouchers.ts'
import { type Disconnection, disconnections } from '#drivers/driver.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import {
  count,
  isoOrNull,
  publicId,
  readPublicId,
  readUuid,
  type SiteItem,
  siteNumber,
  textOrNull,
  time,
  timeOrNull,
  uuidParams,
} from '../kit/fields.ts'
import { type OperationCall, operation, type V2Context } from '../kit/operation.ts'
import {
  cutPage,
  nextCursor,
  pageQuery,
  readSiteItemCursor,
  readTimeCursor,
  siteItemCursor,
  timeCursor,
} from '../kit/pages.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { filterFields, readFilterSites, readVoucherFilter } from '../vouchers/voucher-filter.ts'
import { voucherParams } from '../vouchers/vouchers.ts'

const revocationSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    created_at: time,
    state: Type.Unsafe<'running' | 'done'>({
      type: 'string',
      enum: ['running', 'done'],
      description: '`done` when no voucher is pending.',
    }),
    total: count,
    pending: count,
    revoked: count,
    ended: count,
    kept: count,
    failed: count,
  },
  { title: 'Revocation' },
)

const revocationBody = Type.Object(
  {
    voucher_ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 64, description: 'The id of a voucher.' }), { minItems: 1, maxItems: 1_000 }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          site_id: Type.Optional(
            Type.Array(siteNumber, {
              minItems: 1,
              maxItems: 100,
              description: 'Only these sites. Without it: all sites of the key.',
            }),
          ),
          ...filterFields,
        },
        {
          additionalProperties: false,
          rule: checkFilter,
          description:
            'The filters of the list of vouchers. At least one besides site_id is required. The filter covers the vouchers that can still be withdrawn, at most 10,000.',
        },
      ),
    ),
  },
  {
    title: 'RevocationRequest',
    rule: checkSelection,
    additionalProperties: false,
    description: 'Either voucher_ids or filter.',
    examples: [{ filter: { reference: 'R-4711' } }],
  },
)

export const revokeVouchers = operation({
  method: 'POST',
  path: '/revocations',
  operationId: 'revokeVouchers',
  summary: 'Withdraw vouchers by their ids or by a filter',
  scope: 'write',
  role: 'desk',
  status: 202,
  acceptsIdempotencyKey: true,
  body: revocationBody,
  answer: revocationSchema,
  handle: (ctx, call) => revokeSelected(ctx, call, readSelection(call, call.body)),
})

export const revokeVoucher = operation({
  method: 'DELETE',
  path: '/vouchers/{id}',
  operationId: 'revokeVoucher',
  summary: 'Withdraw one voucher. If it was withdrawn before, the outcome is ended',
  scope: 'write',
  role: 'desk',
  status: 202,
  params: voucherParams,
  answer: revocationSchema,
  handle: (ctx, call) => revokeSelected(ctx, call, selectByIds(call.actor, [call.params.id])),
})

/** Counts as a search: for a key with hundreds of sites without revocations, the list may compare every revocation. */
export const listRevocations = operation({
  method: 'GET',
  path: '/revocations',
  operationId: 'listRevocations',
  summary: 'List the revocations that the key may see, newest first',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  answer: Type.Object({ revocations: Type.Array(revocationSchema), next_cursor: nextCursor }),
  async handle({ db, searches }, { actor, query: { limit = 50, cursor } }) {
    const page = { after: readTimeCursor(cursor), limit: limit + 1 }
    const viewer = await viewerOf(db, actor)
    const found = await searches.run(actor, (from) => listRecordedRevocations(from, viewer, page))
    const { rows, next_cursor } = cutPage(found, limit, timeCursor)
    return { revocations: rows.map(revocationToWire), next_cursor }
  },
})

export const getRevocation = operation({
  method: 'GET',
  path: '/revocations/{id}',
  operationId: 'getRevocation',
  summary: 'Get one revocation and its progress',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: uuidParams,
  answer: revocationSchema,
  handle: async ({ db }, { actor, params }) => revocationToWire(await findVisibleRevocation(db, actor, params.id)),
})

const revocationRowSchema = Type.Object(
  {
    voucher_id: Type.String(),
    outcome: Type.Unsafe<'pending' | 'revoked' | 'ended' | 'kept' | 'failed'>({
      type: 'string',
      enum: ['pending', 'revoked', 'ended', 'kept', 'failed'],
      description:
        'ended: the time of the voucher had run out, it was revoked or deleted before, or it was never created. kept: only unused vouchers were to be withdrawn, and somebody had used this one. failed: the service gave up after seven days, or at once with no_id.',
    }),
    failure: {
      ...textOrNull,
      description:
        'Why the last attempt failed: unreachable, timeout, busy, insecure, sign_in, forbidden, missing, rejected, failed, no_voucher, or no_id if the controller has no id for the voucher.',
    },
    disconnected: Type.Unsafe<Disconnection | null>({
      type: ['string', 'null'],
      enum: [...disconnections, null],
      description:
        'Whether the devices of the voucher were signed out. unsupported: the controller does not say which devices used the voucher. They may stay online until its minutes end. Null while pending, and if nothing was deleted.',
    }),
    settled_at: timeOrNull,
  },
  { title: 'RevocationRow' },
)

export const listRevocationRows = operation({
  method: 'GET',
  path: '/revocations/{id}/rows',
  operationId: 'listRevocationRows',
  summary: 'List the vouchers of a revocation, with the outcome of each',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: uuidParams,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  answer: Type.Object({ rows: Type.Array(revocationRowSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, params, query: { limit = 50, cursor } }) {
    const after = readSiteItemCursor(cursor)
    const { id } = await findVisibleRevocation(db, actor, params.id)
    const found = await listRecordedRows(db, id, { after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ siteId, voucherId }) =>
      siteItemCursor({ siteId, id: voucherId }),
    )
    return { rows: rows.map(rowToWire), next_cursor }
  },
})

/**
 * The vouchers that a request selects. `contents` is the same for equivalent requests, however they are written.
 * `needsSearch` says that finding them may read every voucher of a site.
 */
type Selection = {
  contents: object
  needsSearch: boolean
  onlyUnused: boolean
  choose(tx: Queryable): Promise<SiteItem[]>
}

type Caller = Pick<OperationCall<never, never, never>, 'actor' | 'now' | 'idempotencyKey' | 'markReplayed'>

function readSelection(caller: Caller, { voucher_ids: ids, filter }: Static<typeof revocationBody>): Selection {
  return ids === undefined ? selectByFilter(caller, filter ?? {}) : selectByIds(caller.actor, ids)
}

function checkSelection({ voucher_ids: ids, filter }: Record<string, unknown>): InvalidField[] {
  if ((ids === undefined) !== (filter === undefined)) return []
  const allowed = { fields: ['voucher_ids', 'filter'] }
  return [{ field: 'filter', code: ids === undefined ? 'one_of_required' : 'not_together', allowed }]
}

/** A filter by sites only, or an empty one, would withdraw far more than a mistyped request meant. */
function checkFilter({ site_id: _, ...filters }: Record<string, unknown>): InvalidField[] {
  if (Object.keys(filters).length > 0) return []
  return [{ field: '', code: 'one_of_required', allowed: { fields: Object.keys(filterFields) } }]
}

/** Selects all of these vouchers or none: an id that does not exist is probably a mistake of the client. */
function selectByIds(actor: Requester, ids: string[]): Selection {
  const wanted = [...new Set(ids)].toSorted()
  return {
    contents: { ids: wanted },
    needsSearch: false,
    onlyUnused: false,
    async choose(tx) {
      const items = wanted.flatMap((id) => readPublicId(id) ?? [])
      if (items.length < wanted.length) throw new DomainError('not_found')
      const siteIds = items.map(({ siteId }) => siteId)
      await findAllowedSites(tx, actor, siteIds)
      const found = await listExistingVouchers(tx, items)
      if (found.length < wanted.length) throw new DomainError('not_found')
      return found
    },
  }
}

type RequestedFilter = NonNullable<Static<typeof revocationBody>['filter']>

function selectByFilter({ actor, now }: Caller, requested: RequestedFilter): Selection {
  const { site_id: _, ...filters } = requested
  const siteIds = readFilterSites(requested)
  const filter = readVoucherFilter(filters)
  return {
    contents: { filter, sites: siteIds && [...new Set(siteIds)].toSorted((a, b) => a - b) },
    needsSearch: filter.reference === undefined && filter.batchId === undefined, // an index answers only these two directly
    onlyUnused: filter.unused ?? false,
    choose: async (tx) => chooseByFilter(tx, await findAllowedSites(tx, actor, siteIds), { now, ...filter }),
  }
}

async function revokeSelected(ctx: V2Context, caller: Caller, { needsSearch, ...selection }: Selection) {
  const { actor, idempotencyKey, markReplayed } = caller
  const revokeWith = (db: Database) =>
    revoke({ db, queue: ctx.queue, keyring: ctx.keyring }, { actor, idempotencyKey, ...selection })
  const { id, isRepeat } = needsSearch ? await ctx.searches.run(actor, revokeWith) : await revokeWith(ctx.db)
  if (isRepeat) markReplayed()
  return revocationToWire(await findVisibleRevocation(ctx.db, actor, id))
}

async function findVisibleRevocation(db: Queryable, actor: Requester, id: string): Promise<Revocation> {
  const revocation = await findRevocation(db, readUuid(id), await viewerOf(db, actor))
  if (!revocation) throw new DomainError('not_found')
  return revocation
}

async function viewerOf(db: Queryable, actor: Requester): Promise<Viewer> {
  return { id: actor.id, sites: await findAllowedSites(db, actor, undefined) }
}

function revocationToWire(revocation: Revocation): Static<typeof revocationSchema> {
  const { id, createdAt, total, pending, revoked, ended, kept, failed } = revocation
  const state = pending > 0 ? 'running' : 'done'
  return { id, created_at: createdAt.toISOString(), state, total, pending, revoked, ended, kept, failed }
}

function rowToWire(row: RevocationRow): Static<typeof revocationRowSchema> {
  return {
    voucher_id: publicId({ siteId: row.siteId, id: row.voucherId }),
    outcome: row.outcome ?? 'pending',
    failure: row.failure,
    disconnected: row.disconnected,
    settled_at: isoOrNull(row.settledAt),
  }
}
