import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { notifyListener, tryToListen } from './jobs.queries.ts'

const db = await createTestDatabase()

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: db.url })
  client.on('error', () => {}) // the server ends a silent session
  await client.connect()
  onFileEnd(() => client.end())
  return client
}

test('a listening worker that is silent for 10 s loses its role, and the next one gets the wake-ups', async () => {
  const [frozen, next] = [await connect(), await connect()]
  const woken: string[] = []
  next.on('notification', ({ payload = '' }) => woken.push(payload))
  expect([await tryToListen(frozen), await tryToListen(next)]).toEqual([true, false])

  await vi.waitFor(async () => expect(await tryToListen(next)).toBe(true), { timeout: 30_000, interval: 500 })
  await notifyListener(db, ['attempt', 'sync'])

  await vi.waitFor(() => expect(woken.toSorted()).toEqual(['attempt', 'sync']), { timeout: 20_000 })
})
