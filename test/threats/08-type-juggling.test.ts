import { Agent } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'

const simulator = await startSimulator()
const app = await startApp()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '1e3',
    '0x1A',
    ' 5',
    '+1',
    '12abc',
    '1e1000',
    '99999999999999999999',
    '',
    '\u0000',
    '\u202e',
    '١',
    'NaN',
  ),
)
const oddNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 1e300, 2147483647, 2147483648, 1e-7))
const odd = fc.oneof(
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.anything(), { maxLength: 3 }),
  fc.object({ maxDepth: 2 }),
)
const siteId = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(site, String(site), site + 0.5) },
  { weight: 2, arbitrary: odd },
)
const name = fc.oneof({ weight: 3, arbitrary: fc.string({ minLength: 1 }) }, { weight: 2, arbitrary: odd })
const qos = fc.oneof(odd, fc.record({ down: odd, up: odd, quota_mb: odd }, { requiredKeys: [] }))
const body = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ site_id: siteId, name, max_uses: odd, expire_minutes: odd, qos }, { requiredKeys: [] })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)

const count = size(400, 100_000)

test(`${count} generated bodies: never a 5xx, never a controller call for a 4xx`, async () => {
  const bodies = fc.sample(body, { numRuns: count, seed: Date.now() % 2 ** 31 })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const statuses = new Map<number, number>()
  const offenders: string[] = []
  const queue = bodies.values()
  const client = async () => {
    for (const sent of queue) {
      const { status, text } = await call(`${app.url}/api/vouchers.php`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: sent,
        agent,
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500 || JSON.parse(text) === undefined) offenders.push(`${status} ${sent}`)
    }
  }

  await Promise.all([client(), client(), client(), client()])
  agent.destroy()
  report('generated bodies by status', [...statuses].map(([status, times]) => `${status}: ${times}`).join(', '))

  expect(offenders).toEqual([])
  expect(statuses.get(201)).toBeGreaterThan(count / 50)
  expect(statuses.get(400)).toBeGreaterThan(count / 50)
  expect(await simulator.creates()).toBe(statuses.get(201))
  expect(await simulator.vouchers()).toHaveLength(statuses.get(201) as number)
})
