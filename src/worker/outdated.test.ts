import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startWorker } from './worker.ts'

test('a worker stops its work when a later version applies a migration that breaks it', async () => {
  const app = await startApp()
  const site = await seedControlledSite(app.db, await startSimulator())
  const error = vi.spyOn(app.context.log, 'error')
  const worker = await startWorker(app.context)
  onFileEnd(worker.stop)
  const enqueue = () =>
    app.context.queue.enqueue(app.db, 'sync', [{ data: { siteId: site }, exclusiveKey: 'again', group: 'again' }])
  const countJobs = async () => (await app.db.query(`select from pgboss.job where name = 'sync'`)).rowCount
  await enqueue()
  await vi.waitFor(async () => expect(await countJobs()).toBe(0), { timeout: 30_000 })

  await app.db.query(`insert into breaking_migrations values ('9000_planted', '99.0.0', 'drops vouchers.reference')`)
  await expect.poll(() => app.context.queue.lastProgress()).toEqual(new Map())
  await worker.stop() // waits until the worker has stopped by itself
  await app.db.query(`update sites set next_sync_at = now() - interval '1 second'`)
  await enqueue()
  await pause(3_000) // a fetcher polls after at most 2 s

  expect(error.mock.calls).toEqual([
    [{ migration: '9000_planted' }, expect.stringContaining('Replace this process with version 99.0.0 or newer.')],
  ])
  expect(await countJobs()).toBe(1)
})
