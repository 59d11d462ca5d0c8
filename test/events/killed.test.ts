import { expect, test, vi } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { type EventType, eventTypes } from '#domain/webhooks/event-types.ts'
import type { Point } from '#lib/points.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import { supervise } from '../faults/cluster.ts'

const app = await startApp()
const { db } = app
const { key } = await seedKey(db, { scope: 'write' })
const all = Object.keys(eventTypes) as EventType[]
const worker = await supervise('worker', 'worker', { DATABASE_URL: db.url, WEBHOOK_RETRY_SCALE: '0.001' })

async function addHook(name: string, siteIds: number[] | undefined): Promise<WebhookSink> {
  const sink = await startWebhookSink()
  await seedWebhook(db, { name, url: sink.url, siteIds, events: all })
  return sink
}

const post = async (path: string, body: object) =>
  (await app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })).json()

type Fact = 'first use' | 'end by sweep' | 'deletion on the controller' | 'revocation' | 'end of a batch'

type Site = {
  id: number
  simulator: Awaited<ReturnType<typeof startSimulator>>
  voucher: { id: string; code: string }
}

/** The cause of each fact, and the type of its event. */
const facts: Record<Fact, { type: EventType; cause: (site: Site) => Promise<unknown>; bySync?: true }> = {
  'first use': {
    type: 'voucher.first_used',
    bySync: true,
    cause: async ({ id, simulator, voucher }) => {
      await simulator.redeem(voucher.code)
      await syncSoon(id)
    },
  },
  'end by sweep': {
    type: 'voucher.expired',
    cause: ({ voucher }) =>
      db.query(`update vouchers set expires_at = now() - interval '1 second' where code = $1`, [voucher.code]),
  },
  'deletion on the controller': {
    type: 'voucher.revoked',
    bySync: true,
    cause: async ({ id, simulator, voucher }) => {
      await simulator.deleteVoucher(voucher.code)
      await syncSoon(id)
    },
  },
  revocation: { type: 'voucher.revoked', cause: ({ voucher }) => post('/revocations', { voucher_ids: [voucher.id] }) },
  'end of a batch': {
    type: 'batch.finished',
    cause: ({ id }) => post('/batches', { site_id: id, name: 'Messe', count: 3 }),
  },
}

const syncSoon = (siteId: number) =>
  db.query(`update sites set next_sync_at = now() - interval '1 second' where id = $1`, [siteId])

/** The worker is killed before the commit of the fact, or after the receiver got its event. */
const deaths: Point[] = ['before event commit', 'before ack']
const cases = (Object.keys(facts) as Fact[]).flatMap((fact) => deaths.map((point) => ({ fact, point })))

const someOfThem = cases.filter((_, i) => i === 0 || i === 7)

test.each(isLong ? cases : someOfThem)(
  '$fact: a worker that dies $point loses no event and makes no second one',
  async ({ fact, point }) => {
    for (const dialect of isLong ? dialects : dialects.slice(0, 1)) {
      const simulator = await startSimulator('--flavour', dialect.flavour)
      const id = await seedControlledSite(db, simulator, { driver: dialect.driver, isSyncedLater: true })
      const voucher = await post('/vouchers', { site_id: id, name: 'Gast', max_uses: 5, reference: 'R-1' })
      const sinks = [await addHook(`all ${id}`, undefined), await addHook(`its site ${id}`, [id])]
      const another = await seedControlledSite(db, await startSimulator(), { isSyncedLater: true })
      const foreign = await addHook(`foreign ${id}`, [another])
      const { kills } = worker
      const { type, cause, bySync } = facts[fact]
      worker.dieAt(point)
      await cause({ id, simulator, voucher })

      const received = (sink: WebhookSink) =>
        sink.received
          .map(({ body, headers }) => ({ id: headers['webhook-id'], ...JSON.parse(body) }))
          .filter((event) => event.type === type && event.data.site_id === id)
      await vi.waitFor(() => expect(worker.kills).toBe(kills + 1), { timeout: 40_000, interval: 50 })
      if (bySync) await syncSite(app.context, id) // another worker would sync the site after two minutes
      await vi.waitFor(
        async () => {
          for (const sink of sinks) expect(received(sink).length).toBeGreaterThan(0)
          const { rows } = await db.query(`select from deliveries where state = 'pending'`)
          expect(rows).toHaveLength(0)
        },
        { timeout: 60_000, interval: 100 },
      )

      const { rows: stored } = await db.query<{ id: string }>(
        'select id from events where site_id = $1 and type = $2',
        [id, type],
      )
      expect(stored).toHaveLength(1)
      for (const sink of sinks)
        expect(new Set(received(sink).map((event) => event.id))).toEqual(new Set([stored[0]?.id]))
      if (type !== 'batch.finished')
        expect(received(sinks[0] as WebhookSink)[0].data.vouchers).toEqual([{ id: voucher.id, reference: 'R-1' }])
      expect(foreign.received).toEqual([])
      await db.query('delete from webhooks')
    }
  },
)
