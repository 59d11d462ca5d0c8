import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type { Requester } from '../actor.ts'
import type { CreateVoucherContext } from '../creating/create-voucher.ts'
import { noOptions } from '../creating/create-voucher.ts'
import { publicId } from '../public-id.ts'
import type { Batch } from './batch.ts'
import { findBatch, findOpenBatchCount } from './batches.queries.ts'
import { retryBatch } from './change-batch.ts'
import { createBatch } from './create-batch.ts'

const app = await startApp()
const { db } = app
const siteId = await seedControlledSite(db, await startSimulator())
const limits = { maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** A key with 100 open batches and some that have ended with a failed row. */
async function startFull({ ended }: { ended: number }) {
  const { id, key } = await seedKey(db, { scope: 'write' })
  const actor: Requester = { kind: 'key', id, name: 'Test', allSites: true }
  const create = async (ctx: CreateVoucherContext = app.context) => {
    const request = { actor, siteId, idempotencyKey: undefined, contents: {}, rows: [{ name: 'Ada' }] }
    const { batch } = await createBatch(ctx, { ...request, options: { ...noOptions, limits } })
    return (await findBatch(db, batch)) as Batch
  }
  const endedBatches: Batch[] = []
  for (let i = 0; i < ended; i++) {
    const batch = await create()
    await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
    await db.query('update batches set finished_at = now() where id = $1', [batch.id])
    endedBatches.push(batch)
  }
  const openBatches: Batch[] = []
  for (let i = 0; i < 100; i++) openBatches.push(await create())
  const countOpen = () => findOpenBatchCount(db, actor, 1_000)
  const retry = (batch: Batch) =>
    app.call(`/api/v2/batches/${publicId(batch)}/retry`, { method: 'POST', key, body: '{}' })
  return { create, endedBatches, openBatches, countOpen, retry }
}

test('429: a retry that would open the 101st batch of a key', async () => {
  const { endedBatches, countOpen, retry } = await startFull({ ended: 1 })
  const [ended] = endedBatches as [Batch]
  const answer = await retry(ended)

  expect([answer.status, answer.json().error]).toEqual([429, 'batches_too_many'])
  expect([await countOpen(), await findBatch(db, ended)]).toMatchObject([100, { rows: { failed: 1, waiting: 0 } }])
})

test('rows of a batch that is still open can be retried, even by a key that has more open batches than the limit', async () => {
  const { endedBatches, openBatches, retry } = await startFull({ ended: 2 })
  await db.query('update batches set finished_at = null where id = any ($1)', [endedBatches.map(({ id }) => id)])
  const [open] = openBatches as [Batch]
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [open.id])

  expect((await retry(open)).json()).toMatchObject({ state: 'running', waiting: 1, failed: 0 })
})

test('retries and creations at the same moment on two pools do not pass the limit', async () => {
  const { create, endedBatches, openBatches, countOpen } = await startFull({ ended: 20 })
  await db.query('update batches set finished_at = now() where id = any ($1)', [
    openBatches.slice(0, 10).map(({ id }) => id),
  ])
  const other = connectDatabase({ url: db.url, poolSize: 10, onError: () => {} })
  onFileEnd(() => other.close())
  const contexts = [app.context, { ...app.context, db: other }]
  const outcomes = await Promise.allSettled(
    endedBatches.flatMap((batch, i) => {
      const [one, two] = i % 2 === 0 ? contexts : contexts.toReversed()
      return [retryBatch(one as CreateVoucherContext, batch), create(two)]
    }),
  )

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(outcomes.filter(({ status }) => status === 'rejected').map((each) => (each as any).reason.code)).toEqual(
    Array(30).fill('batches_too_many'),
  )
  expect(await countOpen()).toBe(100)
})
