import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/data/database.ts'
import { planOf } from '#test/data/plans.ts'
import { seedBatch, seedKey, seedSite } from '#test/data/seed.ts'
import { recordOfferedVouchers } from '../record/record-vouchers.queries.ts'
import { insertBatchRows } from './batch-rows.queries.ts'
import { sendRows, updateRowsFromCreations, updateRowsWithoutCreation } from './rows-to-make.queries.ts'

const count = 1_000
const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const { name: note } = shape

/** Makes a large batch as the worker does, and returns the plan of each statement. */
async function explainBatch(db: TestDatabase): Promise<Record<string, string>> {
  const siteId = await seedSite(db)
  const batch = { siteId, id: await seedBatch(db, siteId) }
  const { id, name } = await seedKey(db, { scope: 'write' })
  await db.query('delete from batch_rows where site_id = $1', [siteId])
  await insertBatchRows(db, batch, Array(count).fill({ name: 'Gast' }))
  const rows = Array.from({ length: count }, (_, i) => ({ number: i + 1, creationId: uuidv7() }))
  const asked = { shape, note, controllerAheadMs: 0, minutesCut: false, issuingCounters: null }
  const shared = { siteId, maker: { kind: 'key', id, name } as const, shape, day: '2026-11-19' }
  const creationIds = rows.map(({ creationId }) => creationId)
  const limits = { site: 'Adler', maxUses: 1, expireMinutes: 60 }
  const offered = creationIds.map((_, i) => {
    const code = String(1_000_000_000 + i)
    return { id: `v${i}`, code, answer: { code, formattedCode: code, ...limits } }
  })
  const statements: [string, (tx: Queryable) => Promise<unknown>][] = [
    ['send', (tx) => sendRows(tx, batch, asked, rows)],
    [
      'record',
      (tx) => recordOfferedVouchers(tx, shared, creationIds, offered, { isWholeCommit: false, isFirstTry: false }),
    ],
    ['without creation', (tx) => updateRowsWithoutCreation(tx, batch)],
    ['update', (tx) => updateRowsFromCreations(tx, batch)],
  ]
  const plans: Record<string, string> = {}
  for (const [statement, run] of statements) plans[statement] = await db.transaction((tx) => planOf(tx, run))
  return plans
}

test('no statement of a large batch compares every row with every other, whatever the statistics are', async () => {
  const db = await createTestDatabase()
  const withoutStatistics = await explainBatch(db)
  await db.query('analyze') // the statistics know the site above only
  const withStatisticsOfOthers = await explainBatch(db)

  for (const plans of [withoutStatistics, withStatisticsOfOthers])
    for (const [statement, plan] of Object.entries(plans))
      expect([statement, plan.match(/Rows Removed by Join Filter: \d{4,}/g)]).toEqual([statement, null])
  expect(await db.query(`select from batch_rows where state = 'made'`)).toMatchObject({ rowCount: 2 * count })
})
