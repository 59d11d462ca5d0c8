import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { setUpMail } from '#test/mail.ts'
import { isLong, median, report, size } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'

const pairs = size(60, 600)
/** A controller takes 50 ms or more for a voucher. */
const controllerMs = 50

const app = await startApp()
await setUpMail(app)
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

async function timeOfCreation(name: string, message?: object): Promise<number> {
  const startedAt = performance.now()
  const answer = await app.call('/api/v2/vouchers', {
    method: 'POST',
    key,
    body: JSON.stringify({ site_id: site, name, ...(message && { message }) }),
  })
  expect(answer.status).toBe(201)
  return performance.now() - startedAt
}

/** The two kinds take turns, so that whatever else the machine does slows both. */
async function measure(): Promise<{ without: number; withMessage: number; ratio: number }> {
  const times = { without: [] as number[], withMessage: [] as number[] }
  for (const number of range(pairs + 10)) {
    const message = { email: `gast-${number}@example.org`, language: 'de' }
    const [without, withMessage] = [
      await timeOfCreation(`Ohne ${number}`),
      await timeOfCreation(`Mit ${number}`, message),
    ]
    if (number < 10) continue // the first ones compile and connect
    times.without.push(without)
    times.withMessage.push(withMessage)
  }
  await app.db.query('delete from issuing_counters')
  const [without, withMessage] = [median(times.without), median(times.withMessage)]
  return { without, withMessage, ratio: withMessage / without }
}

test('a creation with a message takes at most a tenth longer', { timeout: 600_000 }, async () => {
  const atOnce = await measure()
  report('creation p50 without and with a message, ms, ratio; the controller answers at once', Object.values(atOnce))
  await simulator.fault('slow', { times: 2 * pairs + 20, delayMs: controllerMs })
  const usual = await measure()
  report(
    `creation p50 without and with a message, ms, ratio; the controller takes ${controllerMs} ms`,
    Object.values(usual),
  )

  expect(usual.ratio).toBeLessThan(isLong ? 1.1 : 1.5) // in CI, other tests use the processors too
})
