import { beforeEach, expect, test, vi } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startTestWorker } from '#test/app.ts'
import { seedControlledSite, seedSite, seedWebhook } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import type { EventType } from '../webhooks/event-types.ts'

const { db, context } = await startTestWorker()
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator)
const other = await seedSite(db)
const {
  rows: [{ controllerId, controller } = { controllerId: '', controller: '' }],
} = await db.query<{ controllerId: string; controller: string }>(
  `select controller_id as "controllerId", controllers.name as controller
     from sites join controllers on controllers.id = controller_id where sites.id = $1`,
  [site],
)
await db.query(`update sites set next_sync_at = now() + interval '1 day'`)

beforeEach(async () => {
  await simulator.behave({ booting: false })
  await db.query('delete from webhooks')
  await db.query('delete from events')
  await db.query('delete from controller_outages')
})

const outageEvents: EventType[] = ['controller.unreachable', 'controller.reachable']

async function add(name: string, more: { siteIds?: number[]; events?: EventType[] }): Promise<WebhookSink> {
  const sink = await startWebhookSink()
  await seedWebhook(db, { name, url: sink.url, ...more })
  return sink
}

const events = (sink: WebhookSink) =>
  sink.received.map(({ body }) => JSON.parse(body)).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp))
const types = (sink: WebhookSink) => events(sink).map(({ type }) => type)

async function syncWhile(booting: boolean, times: number): Promise<void> {
  await simulator.behave({ booting })
  for (let i = 0; i < times; i++) await syncSite(context, site)
}

test('one event when an outage begins and one when it ends, however many calls fail in between', async () => {
  const sink = await add('all', { events: outageEvents })
  await syncWhile(false, 2)
  await syncWhile(true, 3)
  await syncWhile(false, 2)
  await vi.waitFor(() => expect(sink.received).toHaveLength(2), { timeout: 20_000 })
  const { rows } = await db.query<{ since: Date; until: Date }>('select since, until from controller_outages')
  const [{ since, until } = { since: new Date(0), until: new Date(0) }] = rows

  expect(events(sink)).toEqual([
    {
      type: 'controller.unreachable',
      timestamp: since.toISOString(),
      data: { controller, since: since.toISOString(), until: null, site_ids: [site] },
    },
    {
      type: 'controller.reachable',
      timestamp: until.toISOString(),
      data: { controller, since: since.toISOString(), until: until.toISOString(), site_ids: [site] },
    },
  ])
  expect(sink.received.map(({ body }) => body).join()).not.toContain(new URL(simulator.url).host)
})

test('only webhooks that chose these events and cover a site of the controller are notified', async () => {
  const sinks = [
    await add('asked', { events: outageEvents }),
    await add('asked, its site', { events: outageEvents, siteIds: [other, site] }),
    await add('asked, another site', { events: outageEvents, siteIds: [other] }),
    await add('not asked', {}),
    await add('not asked, its site', { siteIds: [site] }),
  ]
  await syncWhile(true, 1)
  await syncWhile(false, 1)
  await vi.waitFor(() => expect([sinks[0], sinks[1]].map((sink) => sink?.received.length)).toEqual([2, 2]), {
    timeout: 20_000,
  })

  expect(sinks.map((sink) => types(sink).toSorted())).toEqual([
    ['controller.reachable', 'controller.unreachable'],
    ['controller.reachable', 'controller.unreachable'],
    [],
    [],
    [],
  ])
})

test('site_ids are the sites of the controller that the webhook may see', async () => {
  const { rows } = await db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site) values ('Second', $1, 'second') returning id`,
    [controllerId],
  )
  const second = rows[0]?.id as number
  const sinks = [
    await add('all', { events: outageEvents }),
    await add('second and other', { events: outageEvents, siteIds: [other, second] }),
    await add('other', { events: outageEvents, siteIds: [other] }),
  ]
  await syncWhile(true, 1)
  await syncWhile(false, 1)
  await vi.waitFor(() => expect(sinks.slice(0, 2).map((sink) => sink.received.length)).toEqual([2, 2]), {
    timeout: 20_000,
  })
  await db.query('delete from webhook_sites')
  await db.query('delete from sites where id = $1', [second])

  const siteIds = (sink: WebhookSink) => events(sink).map(({ data }) => data.site_ids)
  expect(sinks.map(siteIds)).toEqual([[[site, second], [site, second]], [[second], [second]], []]) // biome-ignore format: one line
})

test('an outage and its event are recorded together or not at all', async () => {
  await add('all', { events: outageEvents })
  const broken = { ...context, queue: { ...context.queue, enqueue: () => Promise.reject(new Error('no queue')) } }
  await simulator.behave({ booting: true })
  await expect(syncSite(broken, site)).rejects.toThrow('no queue')

  expect((await db.query('select 1 from controller_outages')).rows).toEqual([])
  expect((await db.query('select 1 from events where controller_id = $1', [controllerId])).rows).toHaveLength(0)
})
