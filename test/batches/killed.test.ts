import { expect, test, vi } from 'vitest'
import { addWebhook } from '#domain/notifications/add-webhook.ts'
import type { Point } from '#lib/points.ts'
import { startApp } from '#test/app.ts'
import { dialects } from '#test/dialects.ts'
import { testKeyring } from '#test/environment.ts'
import { supervise } from '#test/faults/cluster.ts'
import { report } from '#test/report.ts'
import { seedControlledSite, seedKey } from '#test/seed.ts'
import { startSimulator } from '#test/simulator.ts'
import { isLong } from '#test/size.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
await addWebhook(app.db, testKeyring, {
  name: 'Sink',
  format: 'generic',
  url: 'https://sink.invalid',
  siteIds: undefined,
})
const worker = await supervise('worker', 'worker', { DATABASE_URL: app.db.url, SETTLE_SECONDS: '5' })

/** A worker dies there, once: while the controller is asked, with its answer, while it records, right after. */
const deaths: Point[] = ['in flight', 'after answer', 'before commit', 'after commit']
const all = dialects.flatMap((dialect) => deaths.map((point) => ({ ...dialect, point })))
const someOfThem = all.filter((_, i) => i === 1 || i === 4)

test.each(isLong ? all : someOfThem)(
  '$dialect: the worker dies $point: exactly 1,000 vouchers, none twice, one notification',
  async ({ driver, flavour, dialect, point }) => {
    const simulator = await startSimulator('--flavour', flavour)
    const site_id = await seedControlledSite(app.db, simulator, { driver })
    const kills = worker.kills
    worker.dieAt(point)
    const startedAt = Date.now()
    const accepted = await app.call('/api/v2/batches', {
      method: 'POST',
      key,
      body: JSON.stringify({ site_id, name: 'Messe', count: 1_000 }),
    })
    const id = accepted.json().id

    await vi.waitFor(async () => expect((await app.call(`/api/v2/batches/${id}`, { key })).json().state).toBe('done'), {
      timeout: 55_000,
      interval: 200,
    })

    report(`${dialect}, died ${point}: seconds until 1,000 are made`, (Date.now() - startedAt) / 1_000)
    const onController = (await simulator.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code)
    const { rows: recorded } = await app.db.query<{ code: string }>('select code from vouchers where site_id = $1', [
      site_id,
    ])
    const { rows: events } = await app.db.query<{ data: { count: number } }>(
      'select data from events where site_id = $1',
      [site_id],
    )
    expect(worker.kills).toBe(kills + 1)
    expect(onController).toHaveLength(1_000)
    expect(recorded.map(({ code }) => code).toSorted()).toEqual(onController.toSorted())
    expect(events.map(({ data }) => data.count)).toEqual([1_000])
  },
)
