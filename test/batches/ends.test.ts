import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import type { Batch } from '#domain/batches/batch.ts'
import { moveRows } from '#domain/batches/batch-rows.queries.ts'
import { findBatch, updateBatchReopened } from '#domain/batches/batches.queries.ts'
import { finishBatch } from '#domain/batches/run-batch.ts'
import { lockBatch, makeBatchDue } from '#domain/creating/batch-lock.queries.ts'
import { updateCreationsRecorded } from '#domain/creating/recording.queries.ts'
import { updateCreationsAbsent } from '#domain/creating/unsettled.queries.ts'
import { findSiteOnController, type SiteOnController } from '#domain/sites/sites.queries.ts'
import { startApp } from '#test/app.ts'
import { prepareBatches } from './batches-without-worker.ts'

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
  await run()

  expect(await read()).toMatchObject({ state: 'cancelled', cancelled: 2, made: 0 })
  expect(await onController()).toEqual([])
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

test('a batch whose rows are retried at the moment of its end continues', async () => {
  const { simulator, batch, run, read, events } = await start(['Ada'])
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
  const [ended, site] = [await findBatch(db, batch), await findSiteOnController(db, batch.siteId)]
  let finishing: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    await moveRows(tx, batch, ['failed'], 'waiting')
    await updateBatchReopened(tx, batch)
    finishing = finishBatch(app.context, ended as Batch, site as SiteOnController)
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
  const answer = { code: '1', formattedCode: '1', site: 'x', maxUses: 1, expireMinutes: 60 }
  let running: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await updateCreationsRecorded(tx, siteId, [{ creationId, siteId, voucherId: uuidv7(), answer }])
    await makeBatchDue(tx, siteId, batch.id)
    running = run()
    await blocked()
  })
  await running

  expect(await read()).toMatchObject({ state: 'done', made: 1, failed: 0 })
  expect(await events()).toHaveLength(1)
})
