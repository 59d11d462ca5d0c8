import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { deleteOldRows } from '#db/retention.queries.ts'
import { insertBatchRows } from '#domain/batches/batch-rows.queries.ts'
import { sendRows, updateRowsFromCreations } from '#domain/batches/rows-to-make.queries.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedBatch, seedSite } from '#test/data/seed.ts'
import { listRetentionRules } from '#worker/retention-rules.ts'

const db = await createTestDatabase()
const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const rows = Array.from({ length: 1_000 }, (_, i) => ({ number: i + 1, creationId: uuidv7() }))

/** Runs the statement with `explain analyze` and returns its plan. */
async function planOf(work: (db: Queryable) => Promise<unknown>): Promise<string> {
  let plan = ''
  await work({
    async query<Row extends object>(text: string, values?: unknown[]) {
      const result = await db.query<Row>(`explain analyze ${text}`, values)
      plan = result.rows.flatMap((line) => Object.values(line)).join('\n')
      return result
    },
  })
  return plan
}

test('after each call, a large batch is updated without comparing every row with every creation', async () => {
  const siteId = await seedSite(db)
  const batch = { siteId, id: await seedBatch(db, siteId) }
  await db.query('delete from batch_rows')
  await insertBatchRows(db, batch, Array(1_000).fill('Gast'))
  await sendRows(db, batch, { shape, note: shape.name, controllerAheadMs: 0, minutesCut: false }, rows)
  await db.query(`update creations set state = 'absent', settled_at = now()`)

  expect(await planOf((explained) => updateRowsFromCreations(explained, batch))).not.toContain('Join Filter')
})

test('a deletion of old creations reads the open batches once, not for each creation', async () => {
  const [rule] = listRetentionRules({}).filter(({ name }) => name === 'settled creations')
  const plan = await planOf((explained) => deleteOldRows(explained, (rule as NonNullable<typeof rule>).retention))

  expect(plan).toContain('hashed SubPlan')
})
