import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createQueue } from './queue.ts'

const db = await createTestDatabase()
const queue = createQueue({ url: db.url, supervise: true, onError: () => {} })
await queue.start()
onFileEnd(queue.stop)

const attempt = (more: object = {}) => queue.enqueue(db, 'attempt', [{ data: {}, exclusiveKey: 'a 1', ...more }])

test('a job is rejected while another job with its key waits or runs, and accepted afterwards', async () => {
  expect(await attempt({ startAfter: new Date(Date.now() + 1_000) })).toBe(1)
  expect(await attempt()).toBe(0)
  expect(await queue.enqueue(db, 'attempt', [{ data: {}, exclusiveKey: 'a 2', startAfter: new Date(Date.now() + 60_000) }])).toBe(1) // biome-ignore format: one line

  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  await queue.work('attempt', { atOnce: 2, perGroupHere: 1 }, async () => {
    begun.resolve()
    await end.promise
  })
  await begun.promise
  expect(await attempt()).toBe(0)
  end.resolve()
  await vi.waitFor(async () => expect(await attempt({ startAfter: new Date(Date.now() + 60_000) })).toBe(1), {
    timeout: 20_000,
  })
})

test('a job is added when the transaction commits, and not when it rolls back', async () => {
  await db
    .transaction(async (tx) => {
      expect(await queue.enqueue(tx, 'attempt', [{ data: {}, exclusiveKey: 'b 1' }])).toBe(1)
      throw new Error('no')
    })
    .catch(() => {})

  expect((await db.query(`select 1 from pgboss.job where singleton_key = 'b 1'`)).rows).toEqual([])
})
