import { Type } from 'typebox'
import { maxBatchSize } from '#domain/batches/batch.ts'
import { listBatchRows } from '#domain/batches/batch-rows.queries.ts'
import { listBatches as listRecorded } from '#domain/batches/batches.queries.ts'
import { allowedSites } from './allowed-sites.ts'
import { batchRowToWire, batchToWire } from './batch-to-wire.ts'
import {
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
import { seenBatch } from './seen-batch.ts'

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
