import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { prepareBatches, setRecorded } from '#test/batches-without-worker.ts'
import { startOutage } from '../controllers/controller-outages.queries.ts'
import { runBatch } from '../creating/run-batch.ts'
import type { SiteItem } from '../public-id.ts'
import { updateCreationsAbsent } from '../record/unsettled-creations.queries.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import type { Batch } from './batch.ts'
import { lockBatch, makeBatchDue } from './batch-lock.queries.ts'
import { updateRowsRetried } from './batch-rows.queries.ts'
import { findBatch, listDueBatches, updateBatchReopened } from './batches.queries.ts'
import { finishBatch } from './finish-batch.ts'

const app = await startApp()
const { db } = app
const { start, blocked } = await prepareBatches(app)

test('a batch that is cancelled during a call that makes nothing sends no further calls', async () => {
  const { simulator, run, cancel, read, onController } = await start(['Ada', 'Grace'])
  await simulator.fault('too-many', { delayMs: 400 })
  const running = run()
  await vi.waitFor(async () => expect((await read()).under_way).toBe(1), { timeout: 20_000 })
  await cancel()
  await running

  expect(await read()).toMatchObject({ state: 'cancelled', cancelled: 2, made: 0 })
  expect(await onController()).toEqual([])
})

/** Until `end`, no call to the controller of this site is made. */
async function startOutageOf(siteId: number) {
  const { controllerId } = (await findSiteOnController(db, siteId)) as SiteOnController
  await startOutage(db, controllerId)
  const isDue = async (batch: SiteItem) => (await listDueBatches(db)).batches.some(({ id }) => id === batch.id)
  return { isDue }
}

test('a batch that is cancelled while its controller is out ends at once', async () => {
  const { siteId, cancel, read } = await start(['Ada', 'Grace'])
  await startOutageOf(siteId)

  expect((await cancel()).json()).toMatchObject({ state: 'cancelled', cancelled: 2 })
  const ended = await read()
  await cancel()
  expect(await read()).toEqual(ended)
})

test('the end of a cancelled batch is notified with the vouchers that were made', async () => {
  const { siteId, batch, cancel, run, events } = await start(['Ada', 'Grace'])
  await db.query(`update webhooks set events = array['voucher.created', 'batch.finished']`)
  await db.query(`update batch_rows set state = 'cancelled' where batch_id = $1 and number = 2`, [batch.id])
  await run()
  await db.query(`update batch_rows set state = 'waiting' where batch_id = $1 and number = 2`, [batch.id])
  await db.query('update batch_rows set notified = false where batch_id = $1', [batch.id])
  await db.query('update batches set finished_at = null where id = $1', [batch.id])
  await db.query('delete from events where site_id = $1', [siteId])
  await cancel()
  await db.query(`update webhooks set events = array['voucher.created']`)

  expect(await events()).toMatchObject([
    { data: { vouchers: [expect.anything()] } },
    { data: { made: 1, failed: 0, cancelled: 1 } },
  ])
})

test('a cancelled batch with a row under way ends when the outcome is known, even if its controller is out again', async () => {
  const { siteId, batch, cancel, run, read, send } = await start(['Ada', 'Grace'])
  const { creationId } = await send()
  expect((await cancel()).json()).toMatchObject({ state: 'running', under_way: 1, cancelled: 1 })
  const { isDue } = await startOutageOf(siteId)
  await run()
  expect(await read()).toMatchObject({ state: 'running', under_way: 1 })
  await updateCreationsAbsent(db, siteId, [creationId])
  await db.query(`update batches set next_run_at = now() - interval '1 second' where id = $1`, [batch.id])

  expect(await isDue(batch)).toBe(true)
  await run()
  expect(await read()).toMatchObject({ state: 'cancelled', cancelled: 2 })
})

test('a batch whose rows were all cancelled by a revocation ends although its controller is out', async () => {
  const { siteId, batch, run, read } = await start(['Ada', 'Grace'])
  const { isDue } = await startOutageOf(siteId)
  const isDueBefore = await isDue(batch)
  await db.query(`update batch_rows set state = 'cancelled' where batch_id = $1`, [batch.id])

  expect([isDueBefore, await isDue(batch)]).toEqual([false, true])
  await run()
  expect(await read()).toMatchObject({ state: 'cancelled', cancelled: 2 })
})

test('failed and cancelled rows of a cancelled batch can be retried until they are made', async () => {
  const { simulator, run, cancel, retry, read } = await start(['Ada', 'Grace'])
  await simulator.fault('refuse', { delayMs: 400 })
  const running = run()
  await vi.waitFor(async () => expect((await read()).under_way).toBe(1), { timeout: 20_000 })
  await cancel()
  await running
  expect(await read()).toMatchObject({ state: 'cancelled', failed: 1, cancelled: 1 })

  await retry()
  await simulator.fault('too-many')
  await run()
  expect(await read()).toMatchObject({ state: 'running', waiting: 2, cancelled: 0 })
  await run()

  expect(await read()).toMatchObject({ state: 'done', made: 2, cancelled: 0 })
})

test('a cancelled batch that is retried while a run looks at it is made', async () => {
  const { batch, cancel, retry, send, run, read } = await start(['Ada', 'Grace'])
  const { creationId } = await send() // so the cancellation does not end the batch
  await cancel()
  await updateCreationsAbsent(db, batch.siteId, [creationId])
  let isRetried = false
  const query: typeof db.query = async (text, values) => {
    const result = await db.query<any>(text, values)
    if (!isRetried && result.rows[0]?.cancelledAt) {
      isRetried = true
      await retry()
    }
    return result
  }
  await runBatch({ ...app.context, db: { ...app.context.db, query } }, batch)
  await run()

  expect([isRetried, await read()]).toMatchObject([true, { state: 'done', made: 2, cancelled: 0 }])
})

test('a batch whose rows are retried at the moment of its end continues', async () => {
  const { simulator, batch, run, read, events } = await start(['Ada'])
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
  const [ended, site] = [await findBatch(db, batch), await findSiteOnController(db, batch.siteId)]
  let finishing: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    await updateRowsRetried(tx, batch)
    await updateBatchReopened(tx, batch)
    finishing = db.transaction(async (other) => {
      await lockBatch(other, batch)
      await finishBatch(other, app.context.queue, ended as Batch, site as SiteOnController)
    })
    await blocked()
  })
  await finishing
  expect(await read()).toMatchObject({ state: 'running', waiting: 1 })
  await run()

  expect([await read(), await simulator.creates()]).toMatchObject([{ state: 'done', made: 1 }, 1])
  expect(await events()).toHaveLength(1)
})

test('a late voucher that is recorded while its batch ends counts as made and is notified', async () => {
  const { batch, siteId, run, read, events, send } = await start(['Ada'])
  const { creationId } = await send()
  await updateCreationsAbsent(db, siteId, [creationId])
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
  await db.query(`update batches set next_run_at = now() - interval '1 second' where id = $1`, [batch.id])
  let running: Promise<boolean> | undefined
  await db.transaction(async (tx) => {
    await setRecorded(tx, siteId, creationId)
    await makeBatchDue(tx, siteId, batch.id)
    running = run()
    await blocked()
  })
  await running

  expect(await read()).toMatchObject({ state: 'done', made: 1, failed: 0 })
  expect(await events()).toHaveLength(1)
})
