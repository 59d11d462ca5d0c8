import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { startService } from '#test/service.ts'
import { addWebhook } from '../webhooks/administer-webhooks.ts'

const db = await createTestDatabase()
const simulator = await startSimulator()
const api = await startService(db.url)
await startService(db.url, {}, 'worker')
const site = await seedControlledSite(db, simulator, { name: 'Haus <a> & @here' })
const other = await seedControlledSite(db, simulator, { name: 'Anderes Haus' })
const { key } = await seedKey(db, { scope: 'write', name: 'Check-in' })

async function create(siteId = site): Promise<{ code: string; at: number }> {
  const body = JSON.stringify({ site_id: siteId, name: 'Gast' })
  const answer = await call(`${api.url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body })
  expect(answer.status).toBe(201)
  return { code: answer.json().code, at: Date.now() }
}

async function until(condition: () => boolean, ms = 5_000): Promise<void> {
  for (const end = Date.now() + ms; !condition() && Date.now() < end; ) await wait(10)
}

async function add(format: string, url: string, siteIds?: number[]) {
  await db.query('delete from webhooks')
  return addWebhook({ db, keyring: testKeyring }, testActor, { name: format, format, url, siteIds })
}

test('generic: count, site, source and ids, never the code; signed by Standard Webhooks', async () => {
  const sink = await startWebhookSink()
  const { secret } = await add('generic', sink.url)
  const { code } = await create()
  await until(() => sink.received.length > 0)
  const { rows } = await db.query<{ id: string }>('select id from vouchers where code = $1', [code])
  const [{ body, headers }] = sink.received as [any]
  const id = `${site}-${rows[0]?.id}`

  expect(JSON.parse(body)).toEqual({
    type: 'voucher.created',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    data: {
      count: 1,
      site_id: site,
      site: 'Haus <a> & @here',
      source: 'API: Check-in',
      voucher_ids: [id],
      vouchers: [{ id, reference: null }],
    },
  })
  expect(body).not.toContain(code)
  expect(new Webhook(secret as string).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(secret as string).verify(`${body} `, headers)).toThrow()
})

test('Slack: one sentence; markup and mentions in names have no effect', async () => {
  const sink = await startWebhookSink()
  await add('slack', sink.url)
  await create()
  await until(() => sink.received.length > 0)

  expect(JSON.parse(sink.received[0]?.body as string)).toEqual({
    text: '1 Voucher erstellt: Haus &lt;a&gt; &amp; @\u200bhere (API: Check-in)',
  })
  expect(sink.received[0]?.headers).not.toHaveProperty('webhook-signature')
})

test('a webhook for some sites gets only their events', async () => {
  const sink = await startWebhookSink()
  await add('generic', sink.url, [other])
  await create(site)
  await create(other)
  await until(() => sink.received.length > 0)
  await wait(300)

  expect(sink.received.map(({ body }) => JSON.parse(body).data.site_id)).toEqual([other])
})

test('a receiver that is down does not change the 201; attempts repeat with the same id until one arrives', async () => {
  const port = await freePort()
  await add('generic', `http://127.0.0.1:${port}/`)
  const begin = performance.now()
  await create()
  expect(performance.now() - begin).toBeLessThan(timeLimit(1_000))

  const sink = await startWebhookSink()
  sink.answerWith(500)
  await add('generic', sink.url)
  await create()
  await until(() => sink.received.length > 0)
  sink.answerWith(204)
  await until(() => sink.received.length > 1, 20_000)

  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await vi.waitFor(async () => {
    const { rows } = await db.query('select state, attempts from deliveries d join webhooks w on w.id = d.webhook_id')
    expect(rows).toEqual([{ state: 'delivered', attempts: sink.received.length }])
  })
})

test('no webhook: no event is written', async () => {
  await db.query('delete from webhooks')
  await db.query('delete from events')
  await create()

  expect((await db.query('select 1 from events')).rows).toEqual([])
})
