import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { planOf } from '#test/data/plans.ts'
import { seedBatch, seedSite } from '#test/data/seed.ts'
import { insertBatchRows } from './batch-rows.queries.ts'
import { sendRows, updateRowsFromCreations } from './rows-to-make.queries.ts'

const db = await createTestDatabase()
const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const rows = Array.from({ length: 1_000 }, (_, i) => ({ number: i + 1, creationId: uuidv7() }))

test('after each call, a large batch is updated without comparing every row with every creation', async () => {
  const siteId = await seedSite(db)
  const batch = { siteId, id: await seedBatch(db, siteId) }
  await db.query('delete from batch_rows')
  await insertBatchRows(db, batch, Array(1_000).fill({ name: 'Gast' }))
  await sendRows(db, batch, { shape, note: shape.name, controllerAheadMs: 0, minutesCut: false }, rows)
  await db.query(`update creations set state = 'absent', settled_at = now()`)

  expect(await planOf(db, (explained) => updateRowsFromCreations(explained, batch))).not.toContain('Join Filter')
})
