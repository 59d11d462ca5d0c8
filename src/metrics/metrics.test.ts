import { expect, test } from 'vitest'
import { startWorkerOf } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { startMeasuredApp } from '#test/measured-app.ts'
import { isLong, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { settleCreations } from '#test/settle-creations.ts'
import { createMetrics } from './metrics.ts'

const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })

test('requests are counted by the pattern of their route, never by their path', async () => {
  const { app, values, value } = await startMeasuredApp()
  const { key } = await seedKey(app.db)

  await app.call('/api/sites.php', { key })
  await app.call('/api/v2/sites/7', { key })
  await app.call('/api/v2/sites/8', { key })
  await app.call('/no/such/path', { key })

  expect(await values('voucher_service_http_requests_total')).toEqual({
    '{route="/api/sites.php",method="GET",status="200"}': 1,
    '{route="/api/v2/sites/:id",method="GET",status="404"}': 2,
    '{route="none",method="GET",status="404"}': 1,
  })
  expect(
    await value('voucher_service_http_request_duration_seconds_count', '{route="/api/v2/sites/:id",method="GET"}'),
  ).toBe(2)
})

test('the decisions of the limiter are counted, and the requests that each store counted', async () => {
  const { app, values } = await startMeasuredApp()
  const { key } = await seedKey(app.db, { rateLimit: 1 })

  for (let i = 0; i < 3; i++) await app.call('/api/sites.php', { key })

  expect(await values('voucher_service_limiter_decisions_total')).toEqual({
    '{decision="allowed"}': 1,
    '{decision="rejected"}': 2,
    '{decision="unavailable"}': 0,
  })
  expect(await values('voucher_service_limiter_counted_total')).toEqual({ '{store="postgresql"}': 3 })
})

test('creations are counted by outcome, and calls to controllers by driver, operation and outcome', async () => {
  const { app, values, value } = await startMeasuredApp()
  const simulator = await startSimulator()
  const site = await seedControlledSite(app.db, simulator)
  const { key } = await seedKey(app.db, { scope: 'write' })
  const create = (name: string) => app.call('/api/vouchers.php', { key, ...post({ site_id: site, name }) })

  await create('Gast 1')
  await simulator.fault('refuse')
  await create('Gast 2')
  await simulator.fault('created-then-reset')
  await create('Gast 3')
  const unsettled = await values('voucher_service_unsettled_creations')
  const created = await values('voucher_service_creations_total')
  await app.db.query(`update creations set lease_until = now() - interval '1 second' where state = 'unknown'`)
  await settleCreations(app.context)

  expect(created['{outcome="recorded"}']).toBe(1)
  expect(unsettled['{state="unknown"}']).toBe(created['{outcome="unknown"}'])
  expect(Number(created['{outcome="unknown"}']) + Number(created['{outcome="rejected"}'])).toBe(2)
  expect(await value('voucher_service_creations_total', '{outcome="found"}')).toBe(1)
  expect(await values('voucher_service_controller_calls_total')).toMatchObject({
    '{driver="unifi-integration",operation="create",outcome="ok"}': 1,
    '{driver="unifi-integration",operation="list_named",outcome="ok"}': expect.any(Number),
  })
  expect(
    await value(
      'voucher_service_controller_call_duration_seconds_count',
      '{driver="unifi-integration",operation="create"}',
    ),
  ).toBe(3)
})

test('attempts of deliveries are counted by outcome', async () => {
  const { app, values } = await startMeasuredApp()
  await startWorkerOf(app)
  const simulator = await startSimulator()
  const site = await seedControlledSite(app.db, simulator)
  const sink = await startWebhookSink()
  await runCommand(app.db.url, ['webhooks', 'add', '--name', 'Sink', '--format', 'generic', '--url-file', '-'], {
    stdin: sink.url,
  })
  const { key } = await seedKey(app.db, { scope: 'write' })
  sink.answerWith(500)

  await app.call('/api/vouchers.php', { key, ...post({ site_id: site, name: 'Gast' }) })
  await expect.poll(() => sink.received.length).toBe(1)

  await expect
    .poll(() => values('voucher_service_delivery_attempts_total'))
    .toEqual({ '{outcome="accepted"}': 0, '{outcome="status"}': 1 })
})

test('messages to guests are counted by outcome', async () => {
  const { app, values } = await startMeasuredApp({ WEBHOOK_RETRY_SCALE: '0.01' })
  const mail = await setUpMail(app)
  await startWorkerOf(app)
  const site = await seedControlledSite(app.db, await startSimulator())
  const { key } = await seedKey(app.db, { scope: 'write' })
  const counted = () => values('voucher_service_messages_total')
  const create = (email: string) =>
    app.call('/api/v2/vouchers', { key, ...post({ site_id: site, name: 'Gast', message: { email } }) })
  const none = { accepted: 0, rejected: 0, failed: 0, expired: 0, cancelled: 0 }
  const labelled = (counts: object) =>
    Object.fromEntries(Object.entries({ ...none, ...counts }).map(([name, n]) => [`{outcome="${name}"}`, n]))

  mail.faults.to = { code: 550, text: 'No such mailbox' }
  await create('nobody@example.org')
  await expect.poll(counted).toEqual(labelled({ rejected: 1 }))
  mail.faults.to = { code: 451, text: 'Later' }
  await create('gast@example.org')
  await expect.poll(async () => (await counted())['{outcome="failed"}']).toBeGreaterThan(0)
  delete mail.faults.to
  await expect.poll(counted).toMatchObject({ '{outcome="accepted"}': 1, '{outcome="rejected"}': 1 })
})

test('no label has a name, a code, an address or a secret', async () => {
  const { app, scrape } = await startMeasuredApp()
  const simulator = await startSimulator()
  const site = await seedControlledSite(app.db, simulator, { name: 'Hauptgebäude' })
  const { key } = await seedKey(app.db, { scope: 'write', name: 'Check-in' })
  const { code } = (await app.call('/api/vouchers.php', { key, ...post({ site_id: site, name: 'Gast Anna' }) })).json()
  await app.call(`/api/v2/vouchers/look-up?code=${code}`, { key })

  const text = await scrape()

  expect(text).toContain('voucher_service_creations_total{outcome="recorded"} 1')
  for (const hidden of [code, key, 'Gast', 'Anna', 'Hauptgeb', 'Check-in', '127.0.0.1', simulator.apiKey])
    expect(text).not.toContain(hidden)
})

test('Redis is reachable while it answers; a process without Redis does not have the metric', async () => {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: 6379 })
  const redis = { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, REDIS_PREFIX: 'metrics-test:' }
  const [measured, without] = [await startMeasuredApp(redis), await startMeasuredApp()]

  await expect.poll(() => measured.value('voucher_service_redis_reachable')).toBe(1)
  proxy.cut()
  await expect.poll(() => measured.value('voucher_service_redis_reachable')).toBe(0)
  expect(await without.value('voucher_service_redis_reachable')).toBeUndefined()
})

test('a Redis that hangs is noticed without a request, and so is its recovery', async () => {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: 6379 })
  const redis = { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, REDIS_PREFIX: 'metrics-test:' }
  const { value } = await startMeasuredApp(redis)

  await expect.poll(() => value('voucher_service_redis_reachable')).toBe(1)
  proxy.hang()
  await expect.poll(() => value('voucher_service_redis_reachable')).toBe(0)
  proxy.heal()
  await expect.poll(() => value('voucher_service_redis_reachable')).toBe(1)
})

test('only /metrics is served there', async () => {
  const { url } = await startMeasuredApp()

  expect((await call(url.replace('/metrics', '/'))).status).toBe(404)
  expect((await call(url, { method: 'POST' })).status).toBe(405)
  expect((await call(url)).headers['content-type']).toContain('text/plain; version=0.0.4')
})

test('counting a request takes less than 20 µs of the processor', () => {
  const { observer } = createMetrics({ version: '1', role: 'api' })
  const request = { method: 'GET', route: '/api/vouchers.php', status: 200, seconds: 0.01 }
  for (let i = 0; i < 10_000; i++) observer.requestAnswered(request)

  const before = process.cpuUsage()
  for (let i = 0; i < 10_000; i++) {
    observer.requestAnswered(request)
    observer.requestLimited('allowed')
    observer.requestCounted('redis')
  }
  const µs = process.cpuUsage(before).user / 10_000

  report('counting a request, in µs', µs)
  expect(µs).toBeLessThan(isLong ? 20 : 100)
})
