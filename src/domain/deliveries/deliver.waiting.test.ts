import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { deleteOldRows } from '#db/retention.queries.ts'
import { startTestWorker } from '#test/app.ts'
import { seedSite, seedWebhook, testActor } from '#test/data/seed.ts'
import { isLong, timeLimit } from '#test/measuring.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import { enableWebhook } from '../webhooks/administer-webhooks.ts'
import { changeWebhook } from '../webhooks/change-webhook.ts'
import { requeueOverdue } from './enqueue-deliveries.ts'
import { deliveredEvents, settledDeliveries } from './events.queries.ts'

const scale = 0.00002
const { db, context, notify } = await startTestWorker({ WEBHOOK_RETRY_SCALE: String(scale) })
const site = { id: await seedSite(db), name: 'Haus' }

beforeEach(() => db.query('delete from webhooks'))

async function addSink(name = 'hook', address?: string): Promise<WebhookSink> {
  const sink = await startWebhookSink(address)
  await seedWebhook(db, { name, url: sink.url })
  return sink
}

type Delivery = { id: string; state: string; attempts: number; next: Date | null; settled: boolean; at: Date }

async function deliveries(): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>(
    `select id, state, attempts, next_attempt_at as next, settled_at is not null as settled, created_at as at
       from deliveries order by created_at`,
  )
  return rows
}

async function webhook() {
  const { rows } = await db.query<{ failing: boolean; disabled: boolean; reason: string | null }>(
    `select failing_since is not null as failing, disabled_at is not null as disabled, disabled_reason as reason
       from webhooks where name = 'hook'`,
  )
  return rows[0]
}

async function settledAs(state: string, timeout = 20_000): Promise<Delivery> {
  await vi.waitFor(async () => expect((await deliveries()).map((each) => each.state)).toEqual([state]), timeout)
  return (await deliveries())[0] as Delivery
}

/** Jobs are deleted when they succeed. */
async function keepCopiesOfJobs(): Promise<void> {
  await db.query(`
    create table copied_jobs (data jsonb, created_on timestamptz, start_after timestamptz);
    create function copy_job() returns trigger language plpgsql as $$ begin
      insert into copied_jobs values (new.data, new.created_on, new.start_after);
      return null;
    end $$;
    create trigger copy_job after insert on pgboss.job for each row execute function copy_job()`)
}

test('ten attempts with growing pauses, all with one id, then the delivery has failed', async () => {
  const sink = await addSink()
  sink.answerWith(500)
  await keepCopiesOfJobs()
  await notify(site)
  const delivery = await settledAs('failed', 35_000)
  const { rows } = await db.query<{ pauseMs: number }>(
    `select extract(epoch from start_after - created_on)::float8 * 1000 as "pauseMs" from copied_jobs
      where data ->> 'deliveryId' = $1 order by created_on`,
    [delivery.id],
  )
  const seconds = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

  expect(delivery).toMatchObject({ attempts: 10, next: null, settled: true })
  expect(await webhook()).toEqual({ failing: true, disabled: false, reason: null })
  expect(sink.received).toHaveLength(10)
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(rows).toHaveLength(10)
  for (const [i, { pauseMs }] of rows.entries()) {
    const middleMs = (seconds[i] as number) * 1_000 * scale
    expect(pauseMs).toBeGreaterThanOrEqual(middleMs * 0.8 - 1)
    expect(pauseMs).toBeLessThanOrEqual(middleMs * 1.2 + 1)
  }
  const sent = sink.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  expect((sent.at(-1) as number) - (sent[0] as number)).toBeGreaterThanOrEqual(4) // each attempt has a new timestamp
})

test.each([
  [429, () => '2'],
  [503, () => new Date(Date.now() + 3_000).toUTCString()],
])('%i with Retry-After: the next attempt comes no sooner', async (status, retryAfter) => {
  const sink = await addSink()
  sink.answerWith(() => ({
    status: sink.received.length === 1 ? status : 200,
    headers: { 'retry-after': retryAfter() },
  }))
  await notify(site)
  await settledAs('delivered', timeLimit(5_000))
  const [first = 0, second = 0] = sink.received.map(({ at }) => at)

  expect(second - first).toBeGreaterThan(1_900)
  expect(second - first).toBeLessThan(timeLimit(5_000))
})

test('Retry-After counts only with 429 and 503; a redirect is a failure and not followed', async () => {
  const [sink, elsewhere] = [await addSink(), await startWebhookSink()]
  const headers = { location: elsewhere.url, 'retry-after': '60' }
  sink.answerWith(() => ({ status: sink.received.length === 1 ? 307 : 200, headers }))
  await notify(site)

  expect(await settledAs('delivered')).toMatchObject({ attempts: 2 })
  expect(elsewhere.received).toEqual([])
})

test('410 disables the webhook at once; it gets no further deliveries', async () => {
  const sink = await addSink()
  const warn = vi.spyOn(context.log, 'warn')
  sink.answerWith(410)
  await notify(site)
  const delivery = await settledAs('failed')
  await notify(site)
  const { rows: audit } = await db.query(
    `select actor_kind, action, details from audit where action = 'webhook.disabled' order by at desc limit 1`,
  )

  expect(delivery).toMatchObject({ attempts: 1, next: null, settled: true })
  expect(await webhook()).toMatchObject({ disabled: true, reason: 'the receiver answered 410 Gone' })
  expect(audit).toEqual([
    {
      actor_kind: 'service',
      action: 'webhook.disabled',
      details: { name: 'hook', reason: 'the receiver answered 410 Gone' },
    },
  ])
  expect(warn).toHaveBeenCalledWith(
    { webhook: 'hook', reason: 'the receiver answered 410 Gone' },
    'a webhook was disabled',
  )
  expect(await deliveries()).toHaveLength(1)
})

test('a webhook is disabled after five days without success; one success starts a new count', async () => {
  const sink = await addSink()
  const failingFor = (interval: string) =>
    db.query(`update webhooks set failing_since = now() - $1::interval`, [interval])
  sink.answerWith(() => (sink.received.length === 1 ? 500 : 200))
  await failingFor('4 days 23 hours')
  await notify(site)
  await settledAs('delivered')
  expect(await webhook()).toEqual({ failing: false, disabled: false, reason: null })

  await db.query('delete from deliveries')
  sink.answerWith(500)
  await failingFor('5 days 1 second')
  await notify(site)

  expect(await settledAs('failed')).toMatchObject({ attempts: 1 })
  expect(await webhook()).toMatchObject({ disabled: true, reason: 'every attempt failed for five days' })
})

test('a delivery that comes due while its webhook is disabled fails; if the webhook is enabled in time, it goes on', async () => {
  const sink = await addSink()
  sink.answerWith({ status: 503, headers: { 'retry-after': '5' } })
  await notify(site)
  await vi.waitFor(async () => expect((await deliveries())[0]?.attempts).toBe(1), { timeout: 20_000 })
  await db.query(`update webhooks set disabled_at = now(), disabled_reason = 'test'`)
  expect(await settledAs('failed')).toMatchObject({ attempts: 1, next: null, settled: true })

  await db.query('delete from deliveries')
  await enableWebhook(db, testActor, 'hook')
  await notify(site)
  await vi.waitFor(async () => expect((await deliveries())[0]?.attempts).toBe(1), { timeout: 20_000 })
  await db.query(`update webhooks set disabled_at = now(), disabled_reason = 'test'`)
  sink.answerWith(200)
  await enableWebhook(db, testActor, 'hook')
  expect(await settledAs('delivered')).toMatchObject({ attempts: 2 })
})

test('only a delivery whose job was lost gets a new job', async () => {
  const sink = await addSink()
  sink.answerWith({ status: 503, headers: { 'retry-after': '60' } })
  await notify(site, 3)
  await vi.waitFor(async () => expect((await deliveries()).map(({ attempts }) => attempts)).toEqual([1, 1, 1]), {
    timeout: 20_000,
  })
  await db.query(`update deliveries set next_attempt_at = now() - interval '61 seconds'`)
  sink.answerWith(200)
  expect(await requeueOverdue(context)).toBe(0) // their jobs still wait
  await db.query(`delete from pgboss.job where name like 'attempt%' and state = 'created'`)
  await db.query(`update deliveries set next_attempt_at = now() - interval '59 seconds' where id = $1`, [
    (await deliveries())[0]?.id,
  ])

  expect(await requeueOverdue(context)).toBe(2)
  await vi.waitFor(
    async () => expect((await deliveries()).map(({ state }) => state)).toEqual(['pending', 'delivered', 'delivered']),
    30_000,
  )
})

test('a receiver that hangs does not delay others', async () => {
  const [hung, well] = [await addSink('hung'), await addSink('well')]
  hung.answerWith('hang')
  const begin = Date.now()
  await notify(site, 40)
  await vi.waitFor(() => expect(well.received).toHaveLength(40), 30_000)

  const isDelayed = 15_000 // the hung receiver is given up after this time
  expect(Math.max(...well.received.map(({ at }) => at)) - begin).toBeLessThan(isLong ? 5_000 : isDelayed)
  expect(hung.received.length).toBeLessThanOrEqual(4)
})

const stateOfHook = async () => {
  const { rows } = await db.query<{ isSlow: boolean; hostId: string | null }>(
    `select is_slow as "isSlow", host_id as "hostId" from webhooks where name = 'hook'`,
  )
  return rows[0]
}

test('a webhook is slow until its first fast answer, and again after its address changes', async () => {
  await addSink()
  expect(await stateOfHook()).toMatchObject({ isSlow: true })
  await notify(site)
  await settledAs('delivered')
  expect(await stateOfHook()).toMatchObject({ isSlow: false })

  const before = await stateOfHook()
  const other = await startWebhookSink('127.0.0.9')
  await changeWebhook(context, testActor, 'hook', { url: other.url })
  const after = await stateOfHook()
  expect(after?.isSlow).toBe(true)
  expect(after?.hostId).not.toBe(before?.hostId)
})

test('the host of a webhook from an older version is stored before its first attempt, and its old job is replaced', async () => {
  const sink = await addSink()
  const { hostId } = (await stateOfHook()) as { hostId: string }
  await db.query('update webhooks set host_id = null, is_slow = false')
  await keepGroupsOfJobs()
  await notify(site)
  await settledAs('delivered')
  const { rows } = await db.query('select group_tier from groups_of_jobs order by number')

  expect(rows).toEqual([{ group_tier: null }, { group_tier: hostId }])
  expect(await stateOfHook()).toEqual({ isSlow: false, hostId })
  expect(sink.received).toHaveLength(1)
})

test('a webhook whose address an older version changed gets the id of its new host', async () => {
  const sink = await addSink()
  const { hostId } = (await stateOfHook()) as { hostId: string }
  await db.query(`update webhooks set host_id = 'of another host'`)
  await notify(site, 3)
  await vi.waitFor(() => expect(sink.received).toHaveLength(3), { timeout: 20_000 })

  expect((await stateOfHook())?.hostId).toBe(hostId)
})

async function keepGroupsOfJobs(): Promise<void> {
  await db.query(`
    create table groups_of_jobs (number bigint generated always as identity, group_tier text);
    create function keep_group() returns trigger language plpgsql as $$ begin
      insert into groups_of_jobs (group_tier) values (new.group_tier);
      return null;
    end $$;
    create trigger keep_group after insert on pgboss.job for each row execute function keep_group()`)
}

test('events older than 30 days are deleted with their deliveries and attempts, unless a delivery is pending', async () => {
  const sink = await addSink()
  await notify(site, 2)
  await vi.waitFor(() => expect(sink.received).toHaveLength(2), { timeout: 20_000 })
  await vi.waitFor(async () => expect((await deliveries()).every(({ settled }) => settled)).toBe(true), {
    timeout: 20_000,
  })
  const deleteOld = async () => [await deleteOldRows(db, settledDeliveries), await deleteOldRows(db, deliveredEvents)]
  const [one, two] = await deliveries()
  await db.query(`update deliveries set state = 'pending' where id = $1`, [two?.id])
  await db.query('delete from events e where not exists (select from deliveries where event_id = e.id)')
  expect(await deleteOld()).toEqual([0, 0])
  await db.query(`update events set created_at = now() - interval '31 days'`)
  await db.query(`insert into events (id, type, data, created_at) values ($1, 'x', '{}', now() - interval '31 days')`, [
    randomUUID(),
  ])

  expect(await deleteOld()).toEqual([1, 2])
  expect((await deliveries()).map(({ id }) => id)).toEqual([two?.id])
  expect((await db.query('select 1 from delivery_attempts where delivery_id = $1', [one?.id])).rows).toEqual([])
})
