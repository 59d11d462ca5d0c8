import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { postponeWithdrawals } from '#domain/record/due-withdrawals.queries.ts'
import { runCommand } from '#test/command.ts'
import { seedBatch, seedController, seedFailingMessages, seedSite, seedWebhook } from '#test/data/seed.ts'
import { startMeasuredApp } from '#test/measured-app.ts'
import { median, report, timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'

test('the age of the last backup is missing until `voucher-service backup` has run', async () => {
  const { app, value } = await startMeasuredApp()
  const before = await value('voucher_service_backup_age_seconds')
  await app.db.query(`insert into last_backup (taken_at) values (now() - interval '1 hour')`)

  expect(before).toBeUndefined()
  await expect.poll(async () => Math.floor(((await value('voucher_service_backup_age_seconds')) ?? 0) / 60)).toBe(60)
})

test('the time since guests were forgotten is 0 while nobody chose days', async () => {
  const { app, value } = await startMeasuredApp()
  const minutes = async () => Math.floor(((await value('voucher_service_guests_not_forgotten_seconds')) ?? -60) / 60)
  const before = await minutes()
  await app.db.query(
    `insert into settings (name, value, changed_at) values ('guests_forget_after_days', '90', now() - interval '1 hour')`,
  )

  expect(before).toBe(0)
  await expect.poll(minutes).toBe(60)
})

test('a hold is shown as long as it lasts', async () => {
  const { app, value } = await startMeasuredApp()
  const held = () => value('voucher_service_held')
  const before = await held()
  await runCommand(app.db.url, ['hold'])
  await expect.poll(held).toBe(1)
  await runCommand(app.db.url, ['resume', '--yes'])

  expect(before).toBe(0)
  await expect.poll(held).toBe(0)
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

test('messages that wait are counted; the failing of the mail server is measured from five minutes on', async () => {
  const { app, value } = await startMeasuredApp()
  const site = await seedSite(app.db)
  const failing = () => value('voucher_service_mail_failing_seconds')
  await seedFailingMessages(app.db, site, { count: 2, minutes: 4 })
  const before = await failing()
  await seedFailingMessages(app.db, site, { minutes: 20 })

  expect(before).toBe(0)
  await expect.poll(failing).toBeCloseTo(20 * 60, -2)
  expect(await value('voucher_service_messages_waiting')).toBe(3)
})

test('a webhook works, fails or is disabled; one that was removed does not count', async () => {
  const { app, values } = await startMeasuredApp()
  const states = [
    'null, null, null',
    'now(), null, null',
    'now(), now(), null',
    'null, now(), null',
    'now(), now(), now()',
  ]
  for (const times of states)
    await app.db.query(`update webhooks set (failing_since, disabled_at, removed_at) = row(${times}) where id = $1`, [
      await seedWebhook(app.db),
    ])

  expect(await values('voucher_service_webhooks')).toEqual({
    '{state="working"}': 1,
    '{state="failing"}': 1,
    '{state="disabled"}': 2,
  })
})

test('when the record cannot be read, the other metrics are still served', async () => {
  const { app, url, value } = await startMeasuredApp()
  await app.db.query('alter table controllers rename to renamed')

  expect((await call(url)).status).toBe(200)
  expect(await value('voucher_service_record_readable')).toBe(0)
  expect(await value('voucher_service_sync_lag_seconds')).toBeUndefined()
  expect(await value('voucher_service_build_info', `{version="1.2.3",node="${process.version}",role="start"}`)).toBe(1)
})

test('while the record cannot be read, the log says so at most once a minute', async () => {
  const { app, scrape } = await startMeasuredApp()
  const warn = vi.spyOn(app.context.log, 'warn')
  await app.db.query('alter table controllers rename to renamed')
  for (let n = 0; n < 3; n++) {
    expect(await scrape()).toContain('voucher_service_record_readable 0')
    await pause(1_100) // figures are read again after a second
  }

  expect(warn.mock.calls.map(([, message]) => message)).toEqual(['the database could not be read for the metrics'])
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
