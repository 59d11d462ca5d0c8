import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, seedWebhook } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { insertEventWithDeliveries, listWantedEvents } from './events.queries.ts'

const db = await createTestDatabase()
const site = await seedSite(db)
const otherSite = await seedSite(db)
const webhook = await seedWebhook(db, { siteIds: [site] })

const notify = (tx: Queryable) =>
  insertEventWithDeliveries(tx, {
    id: randomUUID(),
    type: 'voucher.created',
    siteId: site,
    data: { site_id: site, site: 'Hauptgebäude', source: 'Test', vouchers: [] },
  })

test('an event reads about as many pages with 20,000 other webhooks as without', async () => {
  await notify(db) // fills the caches of the connection
  const alone = await buffersOf(notify)
  await seedOtherWebhooks(20_000, { allSites: false, events: '{voucher.created}' })
  await seedOtherWebhooks(10, { allSites: true, events: '{controller.unreachable}' })
  const among20k = await buffersOf(notify)
  await db.query('analyze webhooks, webhook_sites')
  const analyzed = await buffersOf(notify)
  report('pages read by an event with 1 and with 20,011 webhooks, before and after analyze', [
    alone,
    among20k,
    analyzed,
  ])

  expect(Math.max(among20k, analyzed)).toBeLessThan(alone + 30)
  expect(await notify(db)).toMatchObject([{ webhookId: webhook }])
})

test('the events that webhooks get from a site are those of its own webhooks and of the webhooks for all sites', async () => {
  expect((await listWantedEvents(db, site)).toSorted()).toEqual(['controller.unreachable', 'voucher.created'])
  await db.query('update webhooks set disabled_at = now() where id = $1', [webhook])
  expect(await listWantedEvents(db, site)).toEqual(['controller.unreachable'])
})

async function buffersOf(work: (tx: Queryable) => Promise<unknown>): Promise<number> {
  let buffers = 0
  await work({
    query: async (text, values) => {
      const { rows } = await db.query<any>(`explain (analyze, buffers, format json) ${text}`, values)
      const { Plan: plan } = rows[0]['QUERY PLAN'][0]
      buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      return { rows: [] } as any
    },
  })
  return buffers
}

async function seedOtherWebhooks(count: number, { allSites, events }: { allSites: boolean; events: string }) {
  await db.query(
    `with other as (
       insert into webhooks (id, name, format, url, all_sites, events)
       select gen_random_uuid(), gen_random_uuid(), 'generic', 'v1.k.' || repeat('x', 64), $2, $3
         from generate_series(1, $1)
       returning id
     )
     insert into webhook_sites (webhook_id, site_id) select id, $4 from other where not $2`,
    [count, allSites, events, otherSite],
  )
}
