import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const urls = (await Promise.all([startService(db.url), startService(db.url)])).map(({ url }) => url)
await startService(db.url, {}, 'worker')
const { key } = await seedKey(db, { scope: 'write' })
const agent = new Agent({ keepAlive: true, maxSockets: 32 })

async function create(i: number, site: number) {
  const body = JSON.stringify({ site_id: site, name: `Gast ${i}` })
  return call(`${urls[i % 2]}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body, agent })
}

/** The highest number of sign-ins, successful or not, within any 60 seconds. */
async function mostInAMinute(simulator: Simulator): Promise<number> {
  const times = (await simulator.signIns()).map(({ at }) => Date.parse(at))
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + 60_000).length))
}

const creates = size(60, 10_000)

test(`${creates} creates over two processes and a worker: at most two sign-ins per controller`, {
  timeout: 300_000,
}, async () => {
  const simulators = [await startSimulator(), await startSimulator('--flavour', 'self-hosted')]
  const sites = await Promise.all(simulators.map((one) => seedControlledSite(db, one, { driver: 'unifi-classic' })))
  const made: string[] = []
  await withClients(16, range(creates), async (i) => {
    for (;;) {
      const answer = await create(i, sites[i % 2] as number)
      if (answer.status === 201) return void made.push(answer.json().code)
      expect([answer.status, answer.headers['voucher-outcome']]).toEqual([500, 'none'])
    }
  })
  const signIns = await Promise.all(simulators.map(async (one) => (await one.signIns()).length))
  report(`sign-ins per controller for ${made.length} creates`, signIns)

  for (const count of signIns) expect(count).toBeLessThanOrEqual(2)
})

const stormSeconds = size(4, 150)

test(`while sessions keep ending for ${stormSeconds} s, there are never more than 5 sign-ins in a minute`, {
  timeout: 300_000,
}, async () => {
  const simulator = await startSimulator()
  const site = await seedControlledSite(db, simulator, { driver: 'unifi-classic' })
  const answers = { made: 0, refused: 0 }
  const endsAt = Date.now() + stormSeconds * 1_000
  const isOver = () => Date.now() >= endsAt && answers.refused > 100 // a busy machine needs longer
  const storm = (async () => {
    while (!isOver()) {
      await simulator.behave({ expireSessions: true })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  await withClients(8, range(8), async (i) => {
    while (!isOver()) {
      const answer = await create(i, site)
      if (answer.status === 201) answers.made += 1
      else if (answer.status === 500) answers.refused += 1
      else expect(answer.status).toBe(502)
    }
  })
  await storm
  const most = await mostInAMinute(simulator)
  report(`a storm of 401 for ${stormSeconds} s: creates made, refused, most sign-ins in a minute`, [
    answers.made,
    answers.refused,
    most,
  ])

  expect(answers.refused).toBeGreaterThan(100)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(5)
})
