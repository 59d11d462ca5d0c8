import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createTestDatabase, lockJobs } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { trackHandlers } from './progress.ts'
import { createQueue } from './queue.ts'

/** A queue with one worker, and a lock that keeps the worker from fetching. */
async function startLockableQueue(handle: () => Promise<void> = async () => {}) {
  const db = await createTestDatabase()
  const queue = createQueue({ url: db.url, supervise: true, onError: () => {} })
  await queue.start()
  onFileEnd(queue.stop)
  await queue.work('attempt', { atOnce: 1 }, handle)
  const progress = () => queue.lastProgress().get('attempt') as number
  const advances = async () => {
    const before = progress()
    await vi.waitFor(() => expect(progress()).toBeGreaterThan(before), { timeout: 20_000 })
  }
  return { db, queue, progress, advances, lock: () => lockJobs(db.url) }
}

test('a queue makes progress with every fetch, and none when nothing can be fetched', async () => {
  const { progress, advances, lock } = await startLockableQueue()
  await advances()
  await advances()

  await lock()
  await pause(2_000) // a fetch that began before the lock may still be answered
  const locked = progress()
  await pause(12_000) // longer than a fetch may take: the next one is under way

  expect(progress()).toBe(locked)
})

test('a queue whose worker is busy with a job makes progress', async () => {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  onFileEnd(end.resolve)
  const { db, queue, advances, lock } = await startLockableQueue(async () => {
    begun.resolve()
    await end.promise
  })
  await queue.enqueue(db, 'attempt', [{ data: {} }])
  await begun.promise
  await lock()

  await advances()
  await pause(2_000)
  await advances()
})

test('a queue on a read-only database makes progress', async () => {
  const { db, advances } = await startLockableQueue()
  await advances()
  const { rows } = await db.query<{ name: string }>('select current_database() as name')
  await db.query(`alter database ${rows[0]?.name} set default_transaction_read_only = on`)
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'voucher-service queue'`,
  )
  await pause(3_000)

  await advances()
  await advances()
})

test('a handler that outlives its job does not count as progress', async () => {
  const { track, lastActive } = trackHandlers(100)
  void track(new Promise(() => {}))
  const begun = lastActive()
  await vi.waitFor(() => expect(lastActive()).toBeGreaterThan(begun), { timeout: 20_000 })
  await pause(300)

  const [late, later] = [lastActive(), await pause(50).then(lastActive)]
  expect(later).toBe(late)
})
