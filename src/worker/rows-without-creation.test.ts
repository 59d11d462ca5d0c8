import { expect, test } from 'vitest'
import { deleteOldRows } from '#db/retention.queries.ts'
import { updateCreationsAbsent } from '#domain/record/unsettled-creations.queries.ts'
import { startApp } from '#test/app.ts'
import { prepareBatches } from '#test/batches-without-worker.ts'
import { listRetentionRules } from './retention-rules.ts'

const app = await startApp()
const { db } = app
const { start } = await prepareBatches(app)

/**
 * A batch whose vouchers are recorded, while its rows do not say so yet: its worker was killed before it updated them.
 * Returns a batch whose first `made` rows have a voucher. The outcome of all creations has been known for a day.
 */
async function startInterrupted(names: string[], made: number) {
  const one = await start(names)
  await one.run()
  await db.query(`update batch_rows set state = 'sent', voucher_id = null, notified = false where batch_id = $1`, [
    one.batch.id,
  ])
  await db.query('update batches set finished_at = null, next_run_at = now() where id = $1', [one.batch.id])
  await db.query('delete from events where site_id = $1', [one.siteId])
  const { rows } = await db.query<{ id: string }>(
    'select creation_id as id from batch_rows where batch_id = $1 and number > $2',
    [one.batch.id, made],
  )
  for (const { id } of rows) {
    await db.query('delete from vouchers where creation_id = $1', [id])
    await db.query(
      `update creations set state = 'unknown', settled_at = null, voucher_id = null, answer = null where id = $1`,
      [id],
    )
    await updateCreationsAbsent(db, one.siteId, [id])
  }
  await db.query(`update creations set settled_at = now() - interval '25 hours' where site_id = $1`, [one.siteId])
  const deleteSettled = async () => {
    const rule = listRetentionRules({}).find(({ name }) => name === 'settled creations')
    return deleteOldRows(db, (rule as NonNullable<typeof rule>).retention)
  }
  /** Deletes the settled creations of a batch, as retention of version 0.1.0 did after a day. */
  const loseCreations = () => db.query('delete from creations where site_id = $1', [one.siteId])
  return { ...one, deleteSettled, loseCreations }
}

test('creations are kept until their batch has ended, however long that takes, and deleted after it', async () => {
  const { deleteSettled, run, read, creations } = await startInterrupted(['Ada', 'Grace'], 2)
  const duringTheBatch = await deleteSettled()
  const kept = await creations()
  await run()

  expect([duringTheBatch, kept.map(({ state }) => state)]).toEqual([0, ['recorded', 'recorded']])
  expect(await read()).toMatchObject({ state: 'done', made: 2 })
  expect([await deleteSettled(), await creations()]).toEqual([2, []])
})

test('a late voucher of a failed row is not forgotten while its batch waits for its next run', async () => {
  const { batch, deleteSettled, run, read } = await startInterrupted(['Ada'], 1)
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
  await deleteSettled()
  await run()

  expect(await read()).toMatchObject({ state: 'done', made: 1, failed: 0 })
})

test('sent rows whose creations are gone are made if their vouchers exist, and failed otherwise', async () => {
  const { loseCreations, run, read, retry, recorded, onController, events, simulator } = await startInterrupted(
    ['Ada', 'Grace', 'Alan'],
    2,
  )
  await loseCreations()
  await run()

  expect(await read()).toMatchObject({ state: 'done', made: 2, failed: 1, under_way: 0 })
  expect(await events()).toMatchObject([{ data: { vouchers: [expect.anything(), expect.anything()] } }])
  await retry()
  await run()
  expect(await read()).toMatchObject({ state: 'done', made: 3, failed: 0 })
  expect(await recorded()).toHaveLength(3)
  expect([await simulator.creates(), (await onController()).length]).toEqual([4, 4])
})

test.each(['waiting', 'failed', 'cancelled'])(
  'a %s row whose creation is gone, but not its voucher, is made and not sent again',
  async (state) => {
    const { batch, loseCreations, run, read, simulator } = await startInterrupted(['Ada'], 1)
    await db.query('update batch_rows set state = $2 where batch_id = $1', [batch.id, state])
    await loseCreations()
    await run()

    expect(await read()).toMatchObject({ state: 'done', made: 1 })
    expect(await simulator.creates()).toBe(1)
  },
)

test('a cancelled batch whose creations are gone ends', async () => {
  const { loseCreations, cancel, run, read } = await startInterrupted(['Ada', 'Grace'], 1)
  await loseCreations()
  await cancel()
  await run()

  expect(await read()).toMatchObject({ state: 'cancelled', made: 1, cancelled: 1, failed: 0 })
})
