import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { range } from '#test/load.ts'
import { percentile, report, size, timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { startService } from '#test/service.ts'
import { addWebhook } from '../webhooks/administer-webhooks.ts'

const db = await createTestDatabase()
const simulators = [await startSimulator(), await startSimulator()]
const api = await startService(db.url)
await startService(db.url, {}, 'worker')
const { key } = await seedKey(db, { scope: 'write' })
const sites = await Promise.all(
  range(16).map((i) => seedControlledSite(db, simulators[i % 2] as (typeof simulators)[number])),
)

async function create(siteId: number): Promise<{ code: string; at: number }> {
  const body = JSON.stringify({ site_id: siteId, name: 'Gast' })
  const answer = await call(`${api.url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body })
  expect(answer.status).toBe(201)
  return { code: answer.json().code, at: Date.now() }
}

const perSecond = size(10, 50)
const creates = perSecond * size(5, 60)

// On a busy machine, the slowest of 50 deliveries says nothing about the service.
const share = size(50, 99)

test(`${perSecond} creations a second on 16 controllers: p${share} of the first attempt under 1 s after the 201`, async () => {
  const sink = await startWebhookSink()
  const { secret } = await addWebhook({ db, keyring: testKeyring }, testActor, { name: 'x', format: 'generic', url: sink.url, siteIds: undefined }) // biome-ignore format: one line
  const begin = performance.now()
  const made: Promise<{ code: string; at: number }>[] = []
  for (let i = 0; i < creates; i++) {
    made.push(create(sites[i % sites.length] as number))
    await wait(Math.max(0, begin + ((i + 1) * 1000) / perSecond - performance.now()))
  }
  const answered = await Promise.all(made)
  await vi.waitFor(() => expect(sink.received).toHaveLength(creates), 30_000)
  const { rows } = await db.query<{ id: string; code: string }>(`select site_id || '-' || id as id, code from vouchers`)
  const codeOf = new Map(rows.map(({ id, code }) => [id, code]))
  const arrivedAt = new Map(
    sink.received.map(({ at, body, headers }) => {
      new Webhook(secret as string).verify(body, headers as Record<string, string>)
      return [codeOf.get(JSON.parse(body).data.voucher_ids[0]), at]
    }),
  )
  const delays = answered.map(({ code, at }) => (arrivedAt.get(code) ?? Number.POSITIVE_INFINITY) - at)
  report(`notification after the 201 at ${perSecond} creations a second, p50, p99 and longest in ms`, [
    percentile(delays, 50),
    percentile(delays, 99),
    Math.max(...delays),
  ])

  expect(sink.received).toHaveLength(creates)
  expect(percentile(delays, share)).toBeLessThan(timeLimit(1_000))
})
