import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
const shutdown = { SHUTDOWN_SECONDS: '8' }

async function start() {
  const simulator = await startSimulator()
  const site_id = await seedControlledSite(app.db, simulator)
  const post = async (path: string, body: object): Promise<{ id: string }> =>
    (await app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })).json()
  const read = async (path: string) => (await app.call(`/api/v2${path}`, { key })).json()
  const until = (path: string, expected: object) =>
    vi.waitFor(async () => expect(await read(path)).toMatchObject(expected), { timeout: 30_000, interval: 50 })
  return { simulator, site_id, post, read, until }
}

test('a worker that is stopped during a batch exits with 0 after the current call, and another worker continues at once', async () => {
  const { simulator, site_id, post, read, until } = await start()
  const names = Array.from({ length: 60 }, (_, n) => `Guest ${n}`)
  const first = await startService(app.db.url, shutdown, 'worker')
  await simulator.fault('slow', { delayMs: 300, times: 60 })
  const batch = `/batches/${(await post('/batches', { site_id, names, expire_minutes: 60 })).id}`
  await until(batch, { made: expect.toSatisfy((made) => made > 2) })
  const exitCode = await first.stop()
  const { rows: leases } = await app.db.query(
    'select running_until, running_by, next_run_at <= now() as is_due from batches where site_id = $1',
    [site_id],
  )
  const left = await read(batch)
  await simulator.forgetFaults()
  const second = await startService(app.db.url, shutdown, 'worker')
  await until(batch, { state: 'done', made: 60 })
  await second.stop()

  expect(exitCode).toBe(0)
  expect(leases).toEqual([{ running_until: null, running_by: null, is_due: true }])
  expect(left).toMatchObject({ state: 'running', under_way: 0, failed: 0 })
  expect(left.waiting).toBeGreaterThan(20)
  expect(await simulator.creates()).toBe(60)
})

test('a worker that is stopped during withdrawals exits with 0 after the current call', async () => {
  const { simulator, site_id, post, read, until } = await start()
  const worker = await startService(app.db.url, shutdown, 'worker')
  const { id: batch_id } = await post('/batches', { site_id, name: 'Event', count: 500, expire_minutes: 60 })
  await until(`/batches/${batch_id}`, { made: 500 })
  await simulator.fault('slow', { on: 'delete', delayMs: 2_000, times: 10 })
  const revocation = `/revocations/${(await post('/revocations', { filter: { batch_id } })).id}`
  await until(revocation, { revoked: 50 })
  const exitCode = await worker.stop()
  const { revoked, pending, failed } = await read(revocation)
  const gone = (await simulator.vouchers()).filter(({ deleted }) => deleted)

  expect(exitCode).toBe(0)
  expect([revoked + pending, failed, gone.length]).toEqual([500, 0, revoked])
  expect(pending).toBeGreaterThanOrEqual(300)
})
