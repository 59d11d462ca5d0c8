import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, vi } from 'vitest'
import { connectDatabase, type Database } from '#db/database.ts'
import { onFileEnd } from '../on-file-end.ts'
import { databaseUrl, queryServer } from './template-database.ts'

export type TestDatabase = Database & { url: string }

/** A clone of the migrated template for this test file; dropped after it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `voucher_test_${randomBytes(6).toString('hex')}`
  await queryServer(`create database ${name} template ${inject('templateDatabase')} strategy file_copy`) // 39 ms instead of 90
  const url = databaseUrl(name)
  const db = connectDatabase({ url, poolSize: 4, timeoutMs: 30_000, onError: () => {} }) // the machine may be busy
  onFileEnd(async () => {
    await db.close()
    await queryServer(`drop database if exists ${name} with (force)`)
  })
  return { ...db, url }
}

/**
 * Locks the table of jobs until the end of the file, so that no worker can fetch. PostgreSQL locks the table and its
 * partitions one by one, so it may deadlock with a fetch that is under way. Then the lock is tried again.
 */
export async function lockJobs(url: string): Promise<void> {
  const holder = new pg.Client({ connectionString: url }) // the timeout of a pool would end the transaction
  onFileEnd(() => holder.end())
  await holder.connect()
  for (;;) {
    try {
      await holder.query('begin; lock table pgboss.job')
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01') throw error
      await holder.query('rollback')
    }
  }
}

/**
 * Collects the statements that this process sends from now on. Leaves out statements that may be sent at any time:
 * those of the queue, of the clock and, by default, of the usage counts.
 */
export function watchStatements({ includesUsage = false } = {}): string[] {
  const statements: string[] = []
  const ignored = includesUsage
    ? /pgboss|pg_listening_channels|^select clock_timestamp/
    : /pgboss|pg_listening_channels|^select clock_timestamp|api_key_days/
  const send = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: any[]) {
    const text = String(args[0]?.text ?? args[0])
    if (!ignored.test(text)) statements.push(text)
    return (send as any).apply(this, args)
  })
  return statements
}
