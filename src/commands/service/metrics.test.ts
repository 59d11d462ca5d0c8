import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { settleCreations } from '#domain/creating/settle-creations.ts'
import { postponeWithdrawals } from '#domain/record/due-withdrawals.queries.ts'
import { createMetrics } from '#metrics/metrics.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedBatch, seedControlledSite, seedController, seedKey, seedSite } from '#test/data/seed.ts'
import { median, report, timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startMetrics } from './metrics-part.ts'

/** The service with metrics. `value` reads one series, and `values` all series of a metric, in a new scrape. */
async function startMeasuredApp(env: Record<string, string> = {}) {
  const metrics = createMetrics({ version: '1.2.3', role: 'start' })
  const app = await startApp({ METRICS_PORT: '0', ...env }, { observer: metrics.observer })
  const served = await startMetrics(app.context, metrics)
  onFileEnd(() => served.stop())
  const url = `http://127.0.0.1:${served.port}/metrics`
  const scrape = async () => (await call(url)).text
  const values = async (name: string) => {
    const lines = (await scrape()).split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line))
    return Object.fromEntries(
      lines.map((line) => [line.replace(/ [^ ]*$/, '').slice(name.length), Number(line.split(' ').at(-1))]),
    )
  }
  return { app, url, scrape, values, value: async (name: string, labels = '') => (await values(name))[labels] }
}

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
  await app.db.query(`update creations set lease_until = now() where state = 'unknown'`)
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

test('the age of the last backup is missing until `voucher-service backup` has run', async () => {
  const { app, value } = await startMeasuredApp()
  const before = await value('voucher_service_backup_age_seconds')
  await app.db.query(`insert into last_backup (taken_at) values (now() - interval '1 hour')`)

  expect(before).toBeUndefined()
  await expect.poll(async () => Math.floor(((await value('voucher_service_backup_age_seconds')) ?? 0) / 60)).toBe(60)
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

test('a hold is shown as long as it lasts', async () => {
  const { app, value } = await startMeasuredApp()
  const held = () => value('voucher_service_held')
  const before = await held()
  await runCommand(app.db.url, ['hold'])
  await expect.poll(held, { timeout: 20_000 }).toBe(1)
  await runCommand(app.db.url, ['resume', '--yes'])

  expect(before).toBe(0)
  await expect.poll(held, { timeout: 20_000 }).toBe(0)
})

test('the age of unsettled creations, outages, queues and syncs is read from the record', async () => {
  const { app, values, value } = await startMeasuredApp()
  const [site, out] = [await seedSite(app.db), await seedController(app.db)]
  await app.db.query(
    `insert into creations (site_id, id, actor, request_hash, controller_name, max_uses, expire_minutes, sent_at, lease_until, state)
     values ($1, gen_random_uuid(), 'x', '', 'x', 1, 1, now() - interval '100 seconds', now() + interval '1 day', 'unknown')`,
    [site],
  )
  await app.db.query(
    `insert into controller_outages (controller_id, since) values ($1, now() - interval '200 seconds')`,
    [out],
  )
  await app.db.query(
    `update sites set synced_at = now() - interval '300 seconds', next_sync_at = now() - interval '50 seconds'`,
  )
  await app.db.query(
    `insert into pgboss.job (name, start_after, policy) values ('sync', now() - interval '400 seconds', 'exclusive')`,
  )

  expect(await value('voucher_service_record_readable')).toBe(1)
  expect(await value('voucher_service_unsettled_creation_oldest_seconds')).toBeCloseTo(100, -1)
  expect(await value('voucher_service_controller_outage_longest_seconds')).toBeCloseTo(200, -1)
  expect(Object.keys(await values('voucher_service_controller_outage_seconds'))).toEqual([`{controller="${out}"}`])
  expect(await value('voucher_service_sync_lag_seconds')).toBeCloseTo(300, -1)
  expect(await value('voucher_service_sync_overdue_seconds')).toBeCloseTo(50, -1)
  expect(await value('voucher_service_queue_oldest_job_seconds', '{queue="sync"}')).toBeCloseTo(400, -1)
  expect(await value('voucher_service_queue_jobs', '{queue="sync",state="waiting"}')).toBe(1)
  expect(await values('voucher_service_controllers')).toEqual({ '{state="unreachable"}': 1, '{state="reachable"}': 1 })
  expect(await values('voucher_service_sites')).toEqual({ '{state="reachable"}': 1 })
})

test('a withdrawal stays due while its attempts fail', async () => {
  const { app, value } = await startMeasuredApp()
  const site = await seedSite(app.db)
  const { rows } = await app.db.query<{ id: string }>(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at, attempts, outcome, settled_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'request', due_at, due_at, 20, outcome, settled_at
       from (values (now() - interval '3 days', null, null), (now() - interval '4 days', 'revoked', now()),
                    (now() + interval '1 minute', null, null)) as one (due_at, outcome, settled_at)
     returning id`,
    [site],
  )
  await postponeWithdrawals(app.db, site, 'rejected', [rows[0]?.id as string])

  expect(await value('voucher_service_withdrawals_due')).toBe(1)
  expect(await value('voucher_service_withdrawal_overdue_seconds')).toBeCloseTo(3 * 86_400, -2)
})

test('the time without progress of a batch that is held up is measured until the batch has ended', async () => {
  const { app, value } = await startMeasuredApp()
  const site = await seedSite(app.db)
  for (const [minutes, isOpen] of [
    [90, true],
    [80, true],
    [100, false],
  ] as const)
    await app.db.query(
      `update batches set held_up_since = now() - make_interval(mins => $2), finished_at = case when $3 then null else now() end
        where id = $1`,
      [await seedBatch(app.db, site), minutes, isOpen],
    )

  expect(await value('voucher_service_batch_held_up_longest_seconds')).toBeCloseTo(90 * 60, -2)
})

test('when the record cannot be read, the other metrics are still served', async () => {
  const { app, url, value } = await startMeasuredApp()
  await app.db.query('alter table controllers rename to renamed')

  expect((await call(url)).status).toBe(200)
  expect(await value('voucher_service_record_readable')).toBe(0)
  expect(await value('voucher_service_sync_lag_seconds')).toBeUndefined()
  expect(await value('voucher_service_build_info', `{version="1.2.3",node="${process.version}",role="start"}`)).toBe(1)
})

test('with 1,000 controllers, half of them out of reach, a scrape has less than 1 MB and takes less than 100 ms', async () => {
  const { app, scrape, values } = await startMeasuredApp()
  await app.db.query(
    `with made as (
       insert into controllers (id, name, driver, address)
       select gen_random_uuid(), 'Controller ' || n, 'unifi-integration', 'https://10.0.0.' || n from generate_series(1, 1000) n
       returning id
     ), sites as (
       insert into sites (name, controller_id, controller_site, synced_at) select 'Site', id, 'default', now() from made)
     insert into controller_outages (controller_id, since)
     select id, now() - random() * interval '1 day' from made limit 500`,
  )
  await app.db.query('analyze')
  for (const operation of ['create', 'list', 'list_named', 'find_by_code', 'delete', 'disconnect', 'probe', 'version'])
    for (const driver of ['unifi-integration', 'unifi-classic'])
      for (const outcome of ['ok', 'unreachable', 'timeout', 'failed', 'busy', 'sign_in'])
        app.context.observer?.controllerCalled({ driver, operation, outcome, seconds: 1 })

  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    await pause(1_100) // scrapes within a second share one reading of the record
    const startedMs = performance.now()
    await scrape()
    times.push(performance.now() - startedMs)
  }
  const text = await scrape()
  const ms = median(times)

  report('a scrape with 1,000 controllers, in kB and ms', [text.length / 1_000, ms])
  expect(text.length).toBeLessThan(1_000_000)
  expect(ms).toBeLessThan(timeLimit(100))
  expect(await values('voucher_service_controllers')).toEqual({
    '{state="unreachable"}': 500,
    '{state="reachable"}': 500,
  })
  expect(Object.keys(await values('voucher_service_controller_outage_seconds'))).toHaveLength(10)
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
  expect(µs).toBeLessThan(timeLimit(20))
})
