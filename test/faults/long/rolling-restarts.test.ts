import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { supervise } from '../cluster.ts'
import { startRoundRobin } from '../round-robin.ts'

const restarts = size(2, 20)
const perSecond = size(50, 200)

test(`${restarts} rolling restarts at ${perSecond} requests/s behind two processes: no request fails`, {
  timeout: 600_000,
}, async () => {
  const db = await createTestDatabase()
  const simulators = await Promise.all(range(4).map(() => startSimulator()))
  const sites = await Promise.all(simulators.map((simulator) => seedControlledSite(db, simulator)))
  const { key } = await seedKey(db, { scope: 'write' })
  // Longer than the balancer needs to notice that a process is not ready, even on a busy machine.
  const env = { DATABASE_URL: db.url, DRAIN_SECONDS: '3' }
  const apis = [await supervise('api 1', 'api', env), await supervise('api 2', 'api', env)]
  const { url } = await startRoundRobin(apis.map((api) => api.url))
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const running: Promise<Answer>[] = []
  let over = false

  async function sendAtPace(): Promise<void> {
    const startedAt = Date.now()
    for (let i = 0; !over; i++) {
      const isCreate = i % 20 === 0
      const site = sites[i % sites.length]
      running.push(
        call(isCreate ? `${url}/api/vouchers.php` : `${url}/api/vouchers.php?site_id=${site}`, {
          method: isCreate ? 'POST' : 'GET',
          headers: { 'x-api-key': key },
          agent,
          ...(isCreate && { body: JSON.stringify({ site_id: site, name: `Gast ${i}` }) }),
        }),
      )
      await pause(Math.max(0, startedAt + ((i + 1) * 1_000) / perSecond - Date.now()))
    }
  }

  const sending = sendAtPace()
  const exits: (number | null)[] = []
  for (const i of range(restarts)) {
    const api = apis[i % 2] as (typeof apis)[0]
    exits.push(await api.restart())
    await vi.waitFor(async () => expect((await call(`${api.url}/readyz`)).status).toBe(200), { timeout: 20_000 })
    await pause(300)
  }
  over = true
  await sending
  const answers = await Promise.all(running)
  const failed = answers.filter(({ status }) => status >= 300)
  report('rolling restarts: restarts, requests, failed', [restarts, answers.length, failed.length])

  expect(failed.map(({ status, text }) => `${status} ${text}`)).toEqual([])
  expect(exits).toEqual(range(restarts).map(() => 0))
})
