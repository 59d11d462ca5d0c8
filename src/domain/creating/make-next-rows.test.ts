import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { prepareBatches } from '#test/batches-without-worker.ts'
import { testActor } from '#test/data/seed.ts'
import { untilValidUntil } from '../record/voucher-shape.ts'
import { activateSite } from '../sites/change-site.ts'
import { runBatch } from './run-batch.ts'

const app = await startApp()
const { db } = app
const { start } = await prepareBatches(app)

test('a site that is deactivated meanwhile gets no vouchers, and a retry makes them when it is active again', async () => {
  const { siteId, run, read, retry, onController } = await start(['Ada', 'Grace'])
  await activateSite(db, testActor, siteId, false)
  await run()
  expect(await onController()).toEqual([])
  await activateSite(db, testActor, siteId, true)
  expect(await read()).toMatchObject({ state: 'done', failed: 2 })
  await retry()
  await run()

  expect(await read()).toMatchObject({ state: 'done', made: 2 })
})

test.each(['refuse', 'html-ok'])(
  'a batch that is held up waits while the check of its controller gets the fault %s',
  async (kind) => {
    const { simulator, batch, run, read } = await start(['Ada', 'Grace'])
    await db.query('update batches set held_up_since = now() where id = $1', [batch.id])
    await simulator.fault(kind, { on: 'list', times: 5 })
    await run()
    expect(await read()).toMatchObject({ state: 'running', waiting: 2 })
    expect((await simulator.requests()).filter(({ path }) => path.endsWith('/vouchers'))).toHaveLength(1)
    await simulator.forgetFaults()
    await run()

    expect(await read()).toMatchObject({ state: 'done', made: 2, held_up_since: null })
  },
)

test('a voucher counts for the day on which it was made, not for the day of the request', async () => {
  const { siteId, batch, run } = await start(['Ada'])
  await db.query(`update batches set created_at = created_at - interval '1 day' where id = $1`, [batch.id])
  await run()
  const { rows } = await db.query('select day::text, created from site_days where site_id = $1', [siteId])

  expect(rows).toEqual([{ day: app.context.today(new Date()), created: 1 }])
})

test('rows of one name with different ends are made apart, so nobody gets the minutes of an earlier end', async () => {
  const { siteId, batch, run } = await start(['Ada', 'Ada'])
  await db.query(
    `update batch_rows set expire_minutes = $2, valid_until = now() + make_interval(days => number) where batch_id = $1`,
    [batch.id, untilValidUntil],
  )
  await run()
  const { rows } = await db.query(
    'select round(expire_minutes / 1440.0)::integer as days from vouchers where site_id = $1 order by valid_until',
    [siteId],
  )

  expect(rows).toEqual([{ days: 1 }, { days: 2 }])
})

test('a row that was revoked during its call is cancelled if nothing was made', async () => {
  const { send, run, read, onController } = await start(['Ada'])
  const { creationId } = await send()
  await db.query(`update creations set state = 'absent', settled_at = now(), revoked_at = now() where id = $1`, [
    creationId,
  ])
  await run()

  expect(await read()).toMatchObject({ made: 0, cancelled: 1, waiting: 0 })
  expect(await onController()).toEqual([])
})

test('after progress, the time of a later failure counts from its own beginning', async () => {
  const { simulator, batch, read } = await start(['Ada', 'Grace'])
  const oneCall = { stopping: new AbortController().signal, ms: 0 }
  await db.query(`update batches set held_up_since = now() - interval '11 minutes' where id = $1`, [batch.id])
  await runBatch(app.context, batch, oneCall)
  await simulator.fault('too-many', { on: 'create' })
  await runBatch(app.context, batch, oneCall)

  expect(await read()).toMatchObject({ state: 'running', made: 1, waiting: 1, failed: 0 })
})
