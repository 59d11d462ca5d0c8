import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { prepareBatches } from '#test/batches-without-worker.ts'
import {
  listDueBatches,
  renewBatchRunning,
  updateBatchReleased,
  updateBatchRunning,
} from '../batches/batches.queries.ts'
import { runBatchAlone } from './run-batch.ts'

const app = await startApp()
const { db } = app
const { start } = await prepareBatches(app)

async function startLeased(names = ['Ada']) {
  const one = await start(names)
  const [first, second] = [randomUUID(), randomUUID()]
  const take = (runner: string) => updateBatchRunning(db, one.batch, runner)
  const endLease = () =>
    db.query(`update batches set running_until = now() - interval '1 second' where id = $1`, [one.batch.id])
  const lease = async () =>
    (
      await db.query<{ running_by: string | null; seconds: number | null }>(
        `select running_by, extract(epoch from running_until - now())::float as seconds from batches where id = $1`,
        [one.batch.id],
      )
    ).rows[0]
  const until = async () =>
    (await db.query('select running_until from batches where id = $1', [one.batch.id])).rows[0]?.['running_until']
  return { ...one, first, second, take, endLease, lease, until }
}

test('a batch has one runner at a time; after its release or the end of the lease another one can take it', async () => {
  const { batch, first, second, take, endLease } = await startLeased()

  expect([await take(first), await take(second)]).toEqual([true, false])
  await endLease()
  expect([await take(second), await take(first)]).toEqual([true, false])
  await updateBatchReleased(db, batch, second)
  expect(await take(first)).toBe(true)
})

test('a runner that was frozen neither renews nor releases the lease of its successor', async () => {
  const { batch, first, second, take, endLease, lease } = await startLeased()
  await take(first)
  await endLease()
  await take(second)
  await db.query(`update batches set running_until = now() + interval '5 seconds' where id = $1`, [batch.id])
  await renewBatchRunning(db, batch, first)
  await updateBatchReleased(db, batch, first)

  const { running_by, seconds } = (await lease()) as { running_by: string; seconds: number }
  expect(running_by).toBe(second)
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThan(6)
})

test('a renewal that arrives after the release does not block the batch', async () => {
  const { batch, first, take, lease } = await startLeased()
  await take(first)
  await updateBatchReleased(db, batch, first)
  await renewBatchRunning(db, batch, first)

  expect(await lease()).toEqual({ running_by: null, seconds: null })
  expect((await listDueBatches(db)).batches).toContainEqual(expect.objectContaining(batch))
})

test('the lease of a batch is renewed while it runs, and released when the run ends', async () => {
  const { simulator, batch, lease, until, read } = await startLeased(['Ada', 'Grace'])
  await simulator.fault('slow', { delayMs: 4_000, times: 2 })
  const turnMs = 60_000 // on a busy machine, the first call alone takes longer than a usual turn
  const running = runBatchAlone(app.context, batch, new AbortController().signal, turnMs)
  const atFirst = await vi.waitFor(async () => {
    expect(await until()).not.toBeNull()
    return until()
  }, 20_000)
  await vi.waitFor(async () => expect(await until()).not.toEqual(atFirst), { timeout: 60_000, interval: 100 })
  const renewed = await lease()
  await running

  expect(renewed?.seconds).toBeGreaterThan(7)
  expect(await read()).toMatchObject({ state: 'done', made: 2 })
  expect(await lease()).toEqual({ running_by: null, seconds: null })
})
