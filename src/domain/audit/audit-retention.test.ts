import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { auditRowsPerCall, deleteOldAudit, findAuditRetention, updateAuditRetention } from './audit.queries.ts'

const db = await createTestDatabase()

async function insertAged(...ages: number[]): Promise<void> {
  await db.query(
    `insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id)
     select gen_random_uuid(), now() - days * interval '1 day', 'command', 'test', 'site.added', 'site', days::text
       from unnest($1::integer[]) as days`,
    [ages],
  )
}

test('entries are kept for ever until a number of days is stored, and then for these days', async () => {
  await insertAged(29, 31, 4_000)

  expect([await findAuditRetention(db), await deleteOldAudit(db)]).toEqual([null, 0])
  expect(await updateAuditRetention(db, 30)).toBe(true)
  expect([await findAuditRetention(db), await deleteOldAudit(db)]).toEqual([30, 2])
  expect((await db.query('select target_id from audit')).rows).toEqual([{ target_id: '29' }])
  await updateAuditRetention(db, undefined)
  expect(await findAuditRetention(db)).toBe(null)
})

test('a deletion takes a limited number of entries, oldest first, and never fewer than 30 days are stored', async () => {
  await updateAuditRetention(db, 30)
  await db.query('delete from audit')
  await insertAged(...Array.from({ length: auditRowsPerCall }, (_, n) => 100 + n), 50)

  expect(await deleteOldAudit(db)).toBe(auditRowsPerCall)
  expect((await db.query('select target_id from audit')).rows).toEqual([{ target_id: '50' }])
  await expect(updateAuditRetention(db, 29)).rejects.toMatchObject({ code: '23514' })
})
