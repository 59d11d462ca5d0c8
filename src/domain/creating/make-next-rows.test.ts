import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { prepareBatches } from '#test/batches-without-worker.ts'
import { testActor } from '#test/data/seed.ts'
import { activateSite } from '../sites/change-site.ts'

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
