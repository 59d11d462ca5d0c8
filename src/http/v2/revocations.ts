import { validate as isUuid } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import {
  findRevocation as findRecorded,
  listRevocationRows as listRecordedRows,
  type Revocation,
} from '#domain/withdrawals/revocations.queries.ts'
import { revokeVouchers as revoke } from '#domain/withdrawals/revoke-vouchers.ts'
import { onlyForKey } from './allowed-sites.ts'
import { placeCursor, readPlaceCursor } from './cursor.ts'
import { type OperationCall, operation, type V2Context } from './operation.ts'
import { cutPage } from './page.ts'
import { Refused } from './problems.ts'
import { type Choice, choiceByIds, choiceOf } from './revocable-vouchers.ts'
import { revocationRowToWire, revocationToWire } from './revocation-to-wire.ts'
import {
  revocationBody,
  revocationParams,
  revocationRowPage,
  revocationRowsQuery,
  revocationSchema,
} from './revocations.schemas.ts'
import { voucherParams } from './vouchers.schemas.ts'

export const revokeVouchers = operation({
  method: 'POST',
  path: '/revocations',
  operationId: 'revokeVouchers',
  summary: 'Withdraw vouchers, by their ids or by a filter',
  scope: 'write',
  status: 202,
  creates: true,
  body: revocationBody,
  answer: revocationSchema,
  handle: (ctx, call) => revokeChosen(ctx, call, choiceOf(call.key, call.body)),
})

export const revokeVoucher = operation({
  method: 'DELETE',
  path: '/vouchers/{id}',
  operationId: 'revokeVoucher',
  summary: 'Withdraw one voucher; a repeat finds that it has ended',
  scope: 'write',
  status: 202,
  params: voucherParams,
  answer: revocationSchema,
  handle: (ctx, call) => revokeChosen(ctx, call, choiceByIds(call.key, [call.params.id])),
})

export const findRevocation = operation({
  method: 'GET',
  path: '/revocations/{id}',
  operationId: 'findRevocation',
  summary: 'How far a revocation is',
  scope: 'read',
  status: 200,
  params: revocationParams,
  answer: revocationSchema,
  handle: async ({ db }, { key, params }) => revocationToWire(await findVisible(db, key, params.id)),
})

export const listRevocationRows = operation({
  method: 'GET',
  path: '/revocations/{id}/rows',
  operationId: 'listRevocationRows',
  summary: 'What became of each voucher of a revocation',
  scope: 'read',
  status: 200,
  params: revocationParams,
  query: revocationRowsQuery,
  answer: revocationRowPage,
  async handle({ db }, { key, params, query }) {
    const { limit = 50, cursor } = query
    const after = cursor === undefined ? undefined : readPlaceCursor(cursor)
    const { id } = await findVisible(db, key, params.id)
    const found = await listRecordedRows(db, id, { after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ siteId, voucherId }) =>
      placeCursor({ siteId, id: voucherId }),
    )
    return { rows: rows.map(revocationRowToWire), next_cursor }
  },
})

async function revokeChosen(
  ctx: V2Context,
  {
    key,
    idempotencyKey,
    wasReplayed,
  }: Pick<OperationCall<never, never, never>, 'key' | 'idempotencyKey' | 'wasReplayed'>,
  { meant, searches, choose }: Choice,
) {
  const revokeWith = (db: Database) => revoke({ db, queue: ctx.queue }, { key, idempotencyKey, meant, choose })
  const { id, isRepeat } = searches ? await ctx.searches.run(key.id, revokeWith) : await revokeWith(ctx.db)
  if (isRepeat) wasReplayed()
  return revocationToWire(await findVisible(ctx.db, key, id))
}

async function findVisible(db: Queryable, key: KeyAtWork, id: string): Promise<Revocation> {
  const revocation = isUuid(id) ? await findRecorded(db, id, onlyForKey(key)) : undefined
  if (!revocation) throw new Refused('not_found')
  return revocation
}
