import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { addConference } from '#test/data/conference.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { isLong, percentile, report, size } from '#test/measuring.ts'
import { startSimulatorProcess } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'
import { startStay, uuidOf } from '#test/stay.ts'

const vouchers = size(1_500, 9_000)
const creations = size(10, 200)
/** How long the controller takes to delete up to 50 vouchers. */
const callMs = 1_500

const app = await startApp()
await startService(app.db.url, {}, 'worker')
const { key, checkIn, revoke, read } = await startStay(app)
const simulator = await startSimulatorProcess()
const site = await seedControlledSite(app.db, simulator)
const { key: otherKey } = await seedKey(app.db, { scope: 'write', name: 'Another caller' })
const otherSite = await seedControlledSite(app.db, await startSimulatorProcess())

const isGone = async (code: string) =>
  (await simulator.vouchers()).every((voucher) => voucher.code !== code || voucher.deleted)

/** How long it takes until the voucher is gone from the controller, in seconds. */
async function secondsUntilGone(code: string): Promise<number> {
  const startedAt = performance.now()
  await vi.waitFor(async () => expect(await isGone(code)).toBe(true), { timeout: 900_000, interval: 200 })
  return (performance.now() - startedAt) / 1_000
}

/** The 95th percentile of the time that another caller waits for a voucher on another controller, in ms. */
async function creationP95(): Promise<number> {
  const times: number[] = []
  for (const n of range(creations)) {
    const startedAt = performance.now()
    const body = JSON.stringify({ site_id: otherSite, name: `Guest ${n}`, expire_minutes: 60 })
    const { status } = await app.call('/api/v2/vouchers', { method: 'POST', key: otherKey, body })
    expect(status).toBe(201)
    times.push(performance.now() - startedAt)
  }
  return percentile(times, 95)
}

test(`beside a revocation of ${vouchers} vouchers, an ended stay and a single DELETE take at most 30 s`, {
  timeout: 1_800_000,
}, async () => {
  const [ended, unwanted] = [await checkIn(site), await checkIn(site)]
  await addConference(app.db, { id: site, simulator }, vouchers)
  await creationP95() // opens connections
  const idle = await creationP95()
  await simulator.fault('slow', { on: 'delete', delayMs: callMs, times: 100_000 })
  const large = await revoke({ filter: { reference: `conference ${site}` } })
  await vi.waitFor(async () => expect((await read(`/revocations/${large}`)).pending).toBeLessThan(vouchers), {
    timeout: 60_000,
    interval: 200,
  })
  const beside = await creationP95()
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     values ($1, gen_random_uuid(), $2, 'valid_until', now(), now())`,
    [site, uuidOf(ended.id)],
  )
  await app.call(`/api/v2/vouchers/${unwanted.id}`, { method: 'DELETE', key })
  const [end, single] = await Promise.all([secondsUntilGone(ended.code), secondsUntilGone(unwanted.code)])
  const { pending } = await read(`/revocations/${large}`)
  report(`ended stay and single DELETE gone beside a revocation of ${vouchers}, s`, [end, single])
  report('vouchers of the revocation that were still pending then', pending)
  report(`creation p95 of another caller, idle and beside a revocation of ${vouchers}, ms`, [idle, beside])

  expect.soft(pending).toBeGreaterThan(0)
  if (isLong) for (const seconds of [end, single]) expect.soft(seconds).toBeLessThan(30)
})
