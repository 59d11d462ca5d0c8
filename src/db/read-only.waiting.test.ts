import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'

test('after a read-only time, writes are no longer reported as refused, even if nobody writes', async () => {
  const db = await createTestDatabase()
  const write = db.transaction(async (tx) => {
    await tx.query('set transaction read only')
    await tx.query('create table notes (text text)')
  })
  await expect(write).rejects.toThrow()
  const during = db.writesRefusedBecause()

  expect(during).toBe('the database is read-only')
  await expect.poll(() => db.writesRefusedBecause()).toBeUndefined()
})
