import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { connectDatabase, type Database } from '#db/database.ts'
import { onFileEnd } from './on-file-end.ts'
import { databaseUrl, onServer } from './template-database.ts'

export type TestDatabase = Database & { url: string }

/** A clone of the migrated template for this test file; dropped after it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `voucher_test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name} template ${inject('templateDatabase')}`)
  const url = databaseUrl(name)
  const db = connectDatabase({ url, poolSize: 4, onError: () => {} })
  onFileEnd(async () => {
    await db.close()
    await onServer(`drop database if exists ${name} with (force)`)
  })
  return { ...db, url }
}
