import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { type Batch, maxBatchSize } from '#domain/batches/batch.ts'
import { listBatchRows } from '#domain/batches/batch-rows.queries.ts'
import { findBatch, listBatches as listRecorded } from '#domain/batches/batches.queries.ts'
import { cancelBatch as cancel } from '#domain/batches/cancel-batch.ts'
import { createBatch as create } from '#domain/batches/create-batch.ts'
import { retryBatch as retry } from '#domain/batches/retry-batch.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { toVoucherName } from '#domain/vouchers/voucher-name.ts'
import { allowedSites } from './allowed-sites.ts'
import { batchRowToWire, batchToWire } from './batch-to-wire.ts'
import {
  batchCreation,
  batchCsvQuery,
  batchListQuery,
  batchPage,
  batchParams,
  batchRowPage,
  batchRowsQuery,
  batchSchema,
} from './batches.schemas.ts'
import { csvOf } from './csv.ts'
import { numberCursor, readNumberCursor, readTimeCursor, timeCursor } from './cursor.ts'
import { operation } from './operation.ts'
import { cutPage } from './page.ts'
import { Refused } from './problems.ts'
import { readPublicId } from './public-id.ts'
import { actorOf, readWishes } from './read-wishes.ts'

export const createBatch = operation({
  method: 'POST',
  path: '/batches',
  operationId: 'createBatch',
  summary: 'Takes in up to 1,000 vouchers to be made; the answer comes before they are',
  scope: 'write',
  body: batchCreation,
  status: 202,
  creates: true,
  answer: batchSchema,
  async handle(ctx, { key, body, idempotencyKey, wasReplayed }) {
    const names = namesOf(body)
    const wishes = await readWishes(ctx.db, key, body)
    const request = { actor: actorOf(key), siteId: body.site_id, names, ...wishes, idempotencyKey }
    const { batch, replayed } = await create(ctx, request)
    if (replayed) wasReplayed()
    return batchToWire((await findBatch(ctx.db, batch)) as Batch)
  },
})

/** Either a name and a count, or names. */
function namesOf({ name, count, names }: Static<typeof batchCreation>): string[] {
  if (names !== undefined) {
    if (name !== undefined || count !== undefined) throw new Refused('parameter_invalid', 'names')
    return names.map(toVoucherName)
  }
  if (name === undefined) throw new Refused('parameter_invalid', 'name')
  if (count === undefined) throw new Refused('parameter_invalid', 'count')
  return Array<string>(count).fill(toVoucherName(name))
}

export const listBatches = operation({
  method: 'GET',
  path: '/batches',
  operationId: 'listBatches',
  summary: 'Batches of one, some or all sites of the key, the newest first',
  scope: 'read',
  status: 200,
  query: batchListQuery,
  answer: batchPage,
  async handle({ db }, { key, query: { site_id, limit = 50, cursor } }) {
    const sites = await allowedSites(db, key, site_id)
    const after = cursor === undefined ? undefined : readTimeCursor(cursor)
    const found = await listRecorded(db, sites, { after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, timeCursor)
    return { batches: rows.map(batchToWire), next_cursor }
  },
})

export const findBatchById = operation({
  method: 'GET',
  path: '/batches/{id}',
  operationId: 'findBatch',
  summary: 'One batch, and how far it is',
  scope: 'read',
  status: 200,
  params: batchParams,
  answer: batchSchema,
  handle: async ({ db }, { key, params }) => batchToWire(await seenBatch(db, key, params.id)),
})

export const listRowsOfBatch = operation({
  method: 'GET',
  path: '/batches/{id}/rows',
  operationId: 'listBatchRows',
  summary: 'What became of each voucher of a batch, by number',
  scope: 'read',
  status: 200,
  params: batchParams,
  query: batchRowsQuery,
  answer: batchRowPage,
  async handle({ db }, { key, params, query: { limit = 50, cursor } }) {
    const batch = await seenBatch(db, key, params.id)
    const after = cursor === undefined ? 0 : readNumberCursor(cursor)
    const found = await listBatchRows(db, batch, { after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ number }) => numberCursor({ id: number }))
    return { rows: rows.map((row) => batchRowToWire(batch.siteId, row)), next_cursor }
  },
})

export const exportBatch = operation({
  method: 'GET',
  path: '/batches/{id}/vouchers.csv',
  operationId: 'exportBatch',
  summary: 'The codes of a batch as a table for a spreadsheet or a printer',
  scope: 'read',
  status: 200,
  params: batchParams,
  query: batchCsvQuery,
  answer: Type.String(),
  csvFile: (id) => `vouchers-${id}.csv`,
  async handle({ db }, { key, params, query: { separator = ',' } }) {
    const batch = await seenBatch(db, key, params.id)
    const { reference, valid_until } = batchToWire(batch)
    const rows = (await listBatchRows(db, batch, { after: 0, limit: maxBatchSize })).map((row) => {
      const { number, name, formatted_code, outcome, failure } = batchRowToWire(batch.siteId, row)
      return [number, name, formatted_code, outcome, failure, reference, valid_until]
    })
    return csvOf([['number', 'name', 'code', 'outcome', 'failure', 'reference', 'valid_until'], ...rows], separator)
  },
})

export const cancelBatch = operation({
  method: 'POST',
  path: '/batches/{id}/cancel',
  operationId: 'cancelBatch',
  summary: 'Makes no more of a batch; what was made stays',
  scope: 'write',
  status: 202,
  params: batchParams,
  answer: batchSchema,
  async handle({ db }, { key, params }) {
    const batch = await seenBatch(db, key, params.id)
    await cancel(db, batch)
    return batchToWire((await findBatch(db, batch)) as Batch)
  },
})

export const retryBatch = operation({
  method: 'POST',
  path: '/batches/{id}/retry',
  operationId: 'retryBatch',
  summary: 'Asks again for the vouchers of a batch that failed',
  scope: 'write',
  status: 202,
  params: batchParams,
  answer: batchSchema,
  async handle(ctx, { key, params }) {
    const batch = await seenBatch(ctx.db, key, params.id)
    await retry(ctx, batch)
    return batchToWire((await findBatch(ctx.db, batch)) as Batch)
  },
})

/** A batch that the key may not see does not exist for it. */
async function seenBatch(db: Queryable, key: KeyAtWork, text: string): Promise<Batch> {
  const place = readPublicId(text)
  if (!place) throw new Refused('not_found')
  await allowedSites(db, key, [place.siteId])
  const batch = await findBatch(db, place)
  if (!batch) throw new Refused('not_found')
  return batch
}
