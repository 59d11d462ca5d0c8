import { Webhook } from 'standardwebhooks'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { rotateWebhookSecret } from '#domain/webhooks/webhook-secret.ts'
import { createRandom } from '#lib/random.ts'
import { createQueue } from '#queue/queue.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { range, withClients } from '#test/load.ts'
import { isLong, report, size } from '#test/measuring.ts'
import { type Received, type SinkAnswer, startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Service, startService } from '#test/service.ts'

const count = size(60, 10_000)
const kills = size(2, 20)
const hangs = size(1, 20)

const db = await createTestDatabase()
const queue = createQueue({ url: db.url, supervise: false, onError: () => {} })
await queue.start()
onFileEnd(queue.stop)
const site = { id: await seedSite(db), name: 'Haus' }
const sink = await startWebhookSink()
const hook = { name: 'hook', format: 'generic', url: sink.url, siteIds: undefined }
const first = new Webhook((await addWebhook({ db, keyring: testKeyring }, testActor, hook)).secret as string)
/** All retries happen within seconds, and there is no Redis. */
const env = { WEBHOOK_RETRY_SCALE: '0.0001', REDIS_URL: `redis://127.0.0.1:${await freePort()}` }

/** The notifications at the receiver, by id: the voucher, the number of failures and whether it was accepted. */
const seen = new Map<string, { voucher: string; failures: number; accepted: boolean }>()
const tally = { accepted: 0, repeats: 0, 'server error': 0, busy: 0, hang: 0, reset: 0, 'signed twice': 0 }
const random = createRandom(20_261_114).next
let second: Webhook | undefined

/** Verifies a notification, then fails three times in ten. Each id fails at most six times, because retries are limited. */
function receive({ body, headers }: Received): SinkAnswer {
  const signed = headers as Record<string, string>
  first.verify(body, signed)
  if (second && signed['webhook-signature']?.includes(' ')) {
    second.verify(body, signed)
    tally['signed twice']++
  }
  const id = signed['webhook-id'] as string
  const voucher = JSON.parse(body).data.voucher_ids[0]
  const known = seen.get(id) ?? { voucher, failures: 0, accepted: false }
  expect(known.voucher).toBe(voucher)
  if (seen.has(id)) tally.repeats++
  seen.set(id, known)
  if (random() < 0.3 && known.failures < 6) {
    known.failures++
    return failure()
  }
  known.accepted = true
  tally.accepted++
  return 204
}

function failure(): SinkAnswer {
  const kind = random()
  if (kind < 0.05 && tally.hang < hangs) return tell('hang', 'hang')
  if (kind < 0.4) return tell('server error', 500)
  if (kind < 0.6) return tell('busy', { status: 429, headers: { 'retry-after': '1' } })
  return tell('reset', 'reset')
}

function tell(what: keyof typeof tally, answer: SinkAnswer): SinkAnswer {
  tally[what]++
  return answer
}

const wrong: unknown[] = []
sink.answerWith((received) => {
  try {
    return receive(received)
  } catch (error) {
    wrong.push(error)
    return 500
  }
})

const pending = async () =>
  (await db.query<{ n: number }>(`select count(*)::integer as n from deliveries where state <> 'delivered'`)).rows[0]?.n

async function rotateInTheMiddle(): Promise<void> {
  await vi.waitFor(() => expect(sink.received.length).toBeGreaterThan(count / 2), { timeout: 300_000 })
  second = new Webhook((await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'hook')).secret)
}

async function killAgainAndAgain(): Promise<Service> {
  let worker = await startService(db.url, env, 'worker')
  for (let i = 1; i <= kills; i++) {
    const enough = (count * i) / (kills + 1)
    await vi.waitFor(() => expect(seen.size).toBeGreaterThan(enough), { timeout: 300_000, interval: 5 })
    await worker.stop('SIGKILL')
    worker = await startService(db.url, env, 'worker')
  }
  return worker
}

test(`none of ${count} notifications is lost when three attempts in ten fail and ${kills} workers are killed`, {
  timeout: isLong ? 600_000 : 60_000,
}, async () => {
  const begin = performance.now()
  const killing = killAgainAndAgain()
  const rotation = rotateInTheMiddle()
  const vouchers = range(count).map(() => uuidv7())
  await withClients(4, vouchers, (id) =>
    db.transaction((tx) =>
      notifyCreated(tx, queue, { site, source: 'API: Test', vouchers: [{ id: id, reference: null }] }),
    ),
  )
  await Promise.all([killing, rotation])
  await vi.waitFor(async () => expect(await pending()).toBe(0), { timeout: 300_000, interval: 200 })
  const { rows } = await db.query<{ id: string; voucher: string; attempts: number }>(
    `select e.id, e.site_id || '-' || (e.data #>> '{vouchers,0,id}') as voucher, d.attempts
       from events e join deliveries d on d.event_id = e.id`,
  )
  const missing = rows.filter(({ id, voucher }) => !seen.get(id)?.accepted || seen.get(id)?.voucher !== voucher)
  const doubled = tally.accepted - count
  report('notifications, received, accepted twice, missing', [count, sink.received.length, doubled, missing.length])
  report('attempts that failed: 500, 429, hung, reset', [tally['server error'], tally.busy, tally.hang, tally.reset])
  report('workers killed, signed by both secrets, seconds', [
    kills,
    tally['signed twice'],
    (performance.now() - begin) / 1000,
  ])

  expect(wrong).toEqual([])
  expect(missing).toEqual([])
  expect(new Set(rows.map(({ voucher }) => voucher))).toEqual(new Set(vouchers.map((id) => `${site.id}-${id}`)))
  expect(seen.size).toBe(count)
  expect(tally['signed twice']).toBeGreaterThan(0)
  expect(doubled).toBeLessThanOrEqual(kills * 12) // only what a killed worker was sending
})
