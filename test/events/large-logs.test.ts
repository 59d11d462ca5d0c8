import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { deleteLostDeliveries } from '#domain/deliveries/delete-lost-deliveries.ts'
import { findDueDelivery } from '#domain/deliveries/deliveries.queries.ts'
import { insertEventWithDeliveries, listWantedEvents } from '#domain/deliveries/events.queries.ts'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { listFailingWebhooks } from '#domain/overview/attention.queries.ts'
import { listSiteReferences } from '#domain/sites/remove-site.queries.ts'
import { findSiteEffects } from '#domain/sites/site-effects.queries.ts'
import { readRecord } from '#metrics/record.queries.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'

const app = await startApp() // without a worker
const { db } = app
const { key } = await seedKey(db, { scope: 'manage' })

const ask = async (method: string, path: string, body?: object) => {
  const answer = await app.call(`/api/v2${path}`, { method, key, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: answer.text === '' ? undefined : answer.json() }
}

const subscribe = async (name: string, siteIds?: number[], url = 'http://127.0.0.1:9/hook') =>
  ask('POST', '/webhooks', { url, name, ...(siteIds && { site_ids: siteIds }) })

/** Adds deliveries of a site with one attempt each: one is pending, the others failed. Returns the id of the pending one. */
async function seedDeliveries(webhookId: string, siteId: number, count: number): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `with event as (
       insert into events (id, type, site_id, data)
       select gen_random_uuid(), 'voucher.created', $2,
              jsonb_build_object('site_id', $2::integer, 'site', 'Haus', 'source', 'Test', 'vouchers', '[]'::jsonb)
         from generate_series(1, $3) returning id
     ), delivery as (
       insert into deliveries (id, event_id, webhook_id, state, attempts, next_attempt_at, created_at)
       select gen_random_uuid(), id, $1, case row_number() over () when 1 then 'pending' else 'failed' end, 1,
              case row_number() over () when 1 then now() - interval '1 hour' end, now() - interval '1 hour'
         from event returning id, state
     ), attempt as (
       insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status)
       select id, 1, now(), 5, 500 from delivery
     )
     select id from delivery where state = 'pending'`,
    [webhookId, siteId, count],
  )
  // If statistics from before say that the tables are empty, PostgreSQL chooses plans that take seconds.
  await db.query('analyze events, deliveries, delivery_attempts')
  return rows[0]?.id as string
}

async function rowsOf(webhookId: string, siteIds: number[]) {
  const { rows } = await db.query(
    `select (select count(*)::integer from webhooks where id = $1) as webhooks,
            (select count(*)::integer from deliveries where webhook_id = $1) as deliveries,
            (select count(*)::integer from delivery_attempts a join deliveries d on d.id = a.delivery_id
              where d.webhook_id = $1) as attempts,
            (select count(*)::integer from events where site_id = any ($2)) as events`,
    [webhookId, siteIds],
  )
  return rows[0]
}

/** Two minutes later: the sweep waits until no transaction can add deliveries of the old sites. */
const sweep = async () => {
  await db.query(`update webhooks set lost_sites_at = lost_sites_at - interval '2 minutes'`)
  return deleteLostDeliveries(db)
}

test('a webhook with a large log is removed at once; a sweep deletes its rows in pieces', async () => {
  const site = await seedSite(db)
  const { body: webhook } = await subscribe('large', [site])
  const path = `/webhooks/${webhook.id}`
  const pending = await seedDeliveries(webhook.id, site, 5_000)
  await db.query(`update webhooks set failing_since = now() - interval '2 hours' where id = $1`, [webhook.id])
  expect(await findDueDelivery(db, pending, 0)).toMatchObject({ isForbidden: false })
  const all = { webhooks: 1, deliveries: 5_000, attempts: 5_000, events: 5_000 }
  expect(await rowsOf(webhook.id, [site])).toEqual(all)

  expect((await ask('DELETE', path)).status).toBe(204)

  // The request deletes no deliveries and erases all secrets.
  expect(await rowsOf(webhook.id, [site])).toEqual(all)
  const secrets = 'select url, secret, previous_secret, host_id, all_sites from webhooks where id = $1'
  expect((await db.query(secrets, [webhook.id])).rows).toEqual([
    { url: null, secret: null, previous_secret: null, host_id: null, all_sites: false },
  ])

  // Nobody can see or use the webhook.
  const requests: [string, string, object?][] = [
    ['GET', path],
    ['DELETE', path],
    ['PATCH', path, { name: 'back' }],
    ['PATCH', path, { site_ids: [site] }],
    ['GET', `${path}/deliveries`],
    ['POST', `${path}/replay`, { delivery_id: pending }],
    ['POST', `${path}/enable`],
    ['POST', `${path}/test`],
    ['POST', `${path}/rotate-secret`],
  ]
  for (const [method, url, body] of requests)
    expect([method, url, (await ask(method, url, body)).status]).toEqual([method, url, 404])
  expect((await ask('GET', '/webhooks')).body.webhooks).toEqual([])
  expect(await listFailingWebhooks(db, { onlySitesOf: null, siteId: null })).toEqual([]) // the overview and `doctor`
  expect(await findSiteEffects(db, site)).toMatchObject({
    webhooks: [],
    limited: { webhooks: 0 },
    allSites: { webhooks: 0 },
  })
  expect(await listSiteReferences(db, site)).not.toContain('webhooks')
  expect(await listWantedEvents(db, site)).toEqual([])
  expect(await readRecord(db)).toMatchObject({ webhooksWorking: 0, webhooksFailing: 0, webhooksDisabled: 0 })
  expect((await subscribe('large', [site])).status).toBe(201)

  // Its events are not sent, and it gets no new ones.
  expect(await findDueDelivery(db, pending, 0)).toMatchObject({ isForbidden: true })
  const sentTo = await insertEventWithDeliveries(db, {
    id: randomUUID(),
    type: 'voucher.created',
    siteId: site,
    data: { site_id: site, site: 'Haus', source: 'Test', vouchers: [] },
  })
  expect(sentTo.map(({ webhookId }) => webhookId)).not.toContain(webhook.id)

  expect(await sweep()).toBe(5_000)
  expect(await rowsOf(webhook.id, [site])).toEqual({ webhooks: 0, deliveries: 0, attempts: 0, events: 1 })
  expect(await sweep()).toBe(0)
})

test('a removed webhook does not count for the limits of 20', async () => {
  const site = await seedSite(db)
  for (const siteIds of [[site], undefined]) {
    const added = await Promise.all(range(20).map(() => subscribe(randomUUID(), siteIds)))
    expect((await subscribe(randomUUID(), siteIds)).status).toBe(409)
    await ask('DELETE', `/webhooks/${added[0]?.body.id}`)
    expect((await subscribe(randomUUID(), siteIds)).status).toBe(201)
  }
})

test('the deliveries of a lost site are hidden and not sent at once; a sweep deletes them in pieces', async () => {
  const [kept, lost] = [await seedSite(db), await seedSite(db)]
  const { body: webhook } = await subscribe('moved', [kept, lost])
  const path = `/webhooks/${webhook.id}`
  const [pendingKept, pendingLost] = [
    await seedDeliveries(webhook.id, kept, 2_500),
    await seedDeliveries(webhook.id, lost, 2_500),
  ]
  await db.query(`update webhooks set failing_since = now() - interval '2 hours' where id = $1`, [webhook.id])

  expect((await ask('PATCH', path, { site_ids: [kept] })).status).toBe(200)

  expect(await rowsOf(webhook.id, [kept, lost])).toMatchObject({ deliveries: 5_000, attempts: 5_000, events: 5_000 })
  expect((await ask('GET', `${path}/deliveries?limit=1`)).body).toMatchObject({ failed: 2_499, pending: 1 })
  expect((await ask('GET', `${path}/deliveries?state=pending`)).body.deliveries).toMatchObject([{ id: pendingKept }])
  expect((await ask('POST', `${path}/replay`, { delivery_id: pendingLost })).status).toBe(404)
  expect((await ask('POST', `${path}/replay`, { failed_since: new Date(0).toISOString() })).body.replayed).toBe(2_499)
  expect(await findDueDelivery(db, pendingLost, 0)).toMatchObject({ isForbidden: true })
  expect(await findDueDelivery(db, pendingKept, 0)).toMatchObject({ isForbidden: false })

  expect(await sweep()).toBe(2_500)
  expect(await rowsOf(webhook.id, [kept])).toEqual({ webhooks: 1, deliveries: 2_500, attempts: 2_500, events: 2_500 })
  expect(await rowsOf(webhook.id, [lost])).toMatchObject({ events: 0 })
  expect((await db.query('select lost_sites_at from webhooks where id = $1', [webhook.id])).rows).toEqual([
    { lost_sites_at: null },
  ])
})

test('a delivery that is locked during a sweep is deleted by the next one', async () => {
  const site = await seedSite(db)
  const { body: webhook } = await subscribe('locked', [site])
  const pending = await seedDeliveries(webhook.id, site, 3)
  await ask('DELETE', `/webhooks/${webhook.id}`)

  await db.transaction(async (tx) => {
    await tx.query('select from deliveries where id = $1 for update', [pending])
    expect(await sweep()).toBe(2)
  })

  expect(await rowsOf(webhook.id, [site])).toMatchObject({ webhooks: 1, deliveries: 1 })
  expect(await sweep()).toBe(1)
  expect(await rowsOf(webhook.id, [site])).toMatchObject({ webhooks: 0, events: 0 })
})

test('a webhook without a name gets one that says nothing about its address', async () => {
  const { body } = await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', site_ids: [await seedSite(db)] })

  expect(body.name).toMatch(/^generic [0-9a-f]{8}$/)
})

test('a delivery that waits for its first attempt is not sent after its webhook was removed or lost the site', async () => {
  const [kept, lost, removed] = [await seedSite(db), await seedSite(db), await seedSite(db)]
  const sink = await startWebhookSink()
  const { body: moved } = await subscribe(randomUUID(), [kept, lost], sink.url)
  const { body: gone } = await subscribe(randomUUID(), [removed], sink.url)
  for (const id of [lost, removed, kept])
    await db.transaction((tx) =>
      notifyCreated(tx, app.context.queue, {
        site: { id, name: 'Haus' },
        source: 'API: Test',
        vouchers: [{ id: randomUUID(), reference: null }],
      }),
    )
  await ask('PATCH', `/webhooks/${moved.id}`, { site_ids: [kept] })
  await ask('DELETE', `/webhooks/${gone.id}`)

  await startWorkerOf(app)

  const states = async () =>
    (
      await db.query(
        `select e.site_id as "siteId", d.state, d.attempts from deliveries d join events e on e.id = d.event_id
          where d.webhook_id = any ($1) order by 1`,
        [[moved.id, gone.id]],
      )
    ).rows
  await vi.waitFor(
    async () =>
      expect(await states()).toEqual([
        { siteId: kept, state: 'delivered', attempts: 1 },
        { siteId: lost, state: 'failed', attempts: 0 },
        { siteId: removed, state: 'failed', attempts: 0 },
      ]),
    { timeout: 30_000 },
  )
  expect(sink.received.map(({ body }) => JSON.parse(body).data.site_id)).toEqual([kept])
})
