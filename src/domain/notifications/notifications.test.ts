import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { testKeyring } from '#test/environment.ts'
import { call } from '#test/http-client.ts'
import { freePort } from '#test/private-redis.ts'
import { report } from '#test/report.ts'
import { seedControlledSite, seedKey } from '#test/seed.ts'
import { runCommand, startService } from '#test/service.ts'
import { startSimulator } from '#test/simulator.ts'
import { size } from '#test/size.ts'
import { percentile } from '#test/statistics.ts'
import { startWebhookSink } from '#test/webhook-sink.ts'
import { addWebhook } from './add-webhook.ts'

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
  return addWebhook(db, testKeyring, { name: format, format, url, siteIds })
}

test('generic: count 1, the site, the source, the ids, never the code; signed by Standard Webhooks', async () => {
  const sink = await startWebhookSink()
  const { secret } = await add('generic', sink.url)
  const { code } = await create()
  await until(() => sink.received.length > 0)
  const { rows } = await db.query<{ id: string }>('select id from vouchers where code = $1', [code])
  const [{ body, headers }] = sink.received as [any]

  expect(JSON.parse(body)).toEqual({
    type: 'voucher.created',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    data: { count: 1, site_id: site, site: 'Haus <a> & @here', source: 'API: Check-in', voucher_ids: [rows[0]?.id] },
  })
  expect(body).not.toContain(code)
  expect(new Webhook(secret as string).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(secret as string).verify(`${body} `, headers)).toThrow()
})

test('Slack: one sentence as text, with no markup and no mention coming through', async () => {
  const sink = await startWebhookSink()
  await add('slack', sink.url)
  await create()
  await until(() => sink.received.length > 0)

  expect(JSON.parse(sink.received[0]?.body as string)).toEqual({
    text: '1 Voucher erstellt: Haus &lt;a&gt; &amp; @\u200bhere (API: Check-in)',
  })
  expect(sink.received[0]?.headers).not.toHaveProperty('webhook-signature')
})

test('a webhook for some sites hears only of those', async () => {
  const sink = await startWebhookSink()
  await add('generic', sink.url, [other])
  await create(site)
  await create(other)
  await until(() => sink.received.length > 0)
  await wait(300)

  expect(sink.received.map(({ body }) => JSON.parse(body).data.site_id)).toEqual([other])
})

test('a receiver that is down does not change the 201; it is repeated with the same id until it arrives', async () => {
  const port = await freePort()
  await add('generic', `http://127.0.0.1:${port}/`)
  const begin = performance.now()
  await create()
  expect(performance.now() - begin).toBeLessThan(1_000)

  const sink = await startWebhookSink()
  sink.answerWith(500)
  await add('generic', sink.url)
  await create()
  await until(() => sink.received.length > 0)
  sink.answerWith(204)
  await until(() => sink.received.length > 1, 20_000)

  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await wait(200)
  const { rows } = await db.query('select state, attempts from deliveries d join webhooks w on w.id = d.webhook_id')
  expect(rows).toEqual([{ state: 'delivered', attempts: sink.received.length }])
})

test('no webhook: no event is written', async () => {
  await db.query('delete from webhooks')
  await db.query('delete from events')
  await create()

  expect((await db.query('select 1 from events')).rows).toEqual([])
})

const creates = size(100, 600)

test(`at 20 creates a second the notification arrives within 2 s of the 201 (p99 of ${creates})`, async () => {
  const sink = await startWebhookSink()
  const { secret } = await add('generic', sink.url)
  const made: Promise<{ code: string; at: number }>[] = []
  for (let i = 0; i < creates; i++) {
    made.push(create())
    await wait(50)
  }
  const answered = await Promise.all(made)
  await until(() => sink.received.length >= creates, 10_000)
  const idOf = new Map(
    (await db.query<{ id: string; code: string }>('select id, code from vouchers')).rows.map((row) => [
      row.id,
      row.code,
    ]),
  )
  const arrivedAt = new Map(
    sink.received.map(({ at, body, headers }) => {
      new Webhook(secret as string).verify(body, headers as Record<string, string>)
      return [idOf.get(JSON.parse(body).data.voucher_ids[0]), at]
    }),
  )
  const delays = answered.map(({ code, at }) => (arrivedAt.get(code) ?? Number.POSITIVE_INFINITY) - at)
  report('notification after the 201, p50 and p99 in ms', [percentile(delays, 50), percentile(delays, 99)])

  expect(sink.received).toHaveLength(creates)
  expect(percentile(delays, 99)).toBeLessThan(2_000)
})

test('by commands: add prints the secret once, list hides address and secret, test tells the answer, remove', async () => {
  await db.query('delete from webhooks')
  const sink = await startWebhookSink()
  const run = (args: string, stdin = '') => runCommand(db.url, args.split(' '), { stdin })

  const added = await run('webhooks add --name hook --format generic --url-file - --json', `${sink.url}?token=canary\n`)
  const listed = await run('webhooks list --json')
  const tested = await run('webhooks test hook --json')
  sink.answerWith(410)
  const refused = await run('webhooks test hook --json')
  const removed = await run('webhooks remove hook')

  expect(added.json().secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
  expect(listed.json()).toMatchObject([{ name: 'hook', format: 'generic', all_sites: true }])
  expect(listed.stdout).not.toMatch(/canary|whsec_/)
  expect(tested.json()).toMatchObject({ arrived: true, status: 204, error: null })
  expect(JSON.parse(sink.received[0]?.body as string)).toMatchObject({ type: 'webhook.test' })
  expect([refused.exitCode, refused.json()]).toEqual([1, expect.objectContaining({ arrived: false, status: 410 })])
  expect(removed.exitCode).toBe(0)
  expect((await run('webhooks remove hook')).stderr).toContain('No webhook is called "hook".')
  const dump = JSON.stringify((await db.query('select * from audit')).rows)
  expect(dump).not.toMatch(/canary|whsec_/)
})
