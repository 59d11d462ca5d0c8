import { expect, test, vi } from 'vitest'
import { startOutage } from '#domain/controllers/controller-outages.queries.ts'
import { findSiteOnController } from '#domain/sites/sites.queries.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const app = await startApp()
await startService(app.db.url, {}, 'worker')
const { key } = await seedKey(app.db, { scope: 'write' })

test('a batch that is posted while its controller is out of reach is not sent; it is made when the controller is back', async () => {
  const simulator = await startSimulator('--flavour', 'self-hosted')
  // The first sync of the site would end the outage, because the controller answers it.
  const siteId = await seedControlledSite(app.db, simulator, { driver: 'unifi-classic', isSyncedLater: true })
  const first = JSON.stringify({ site_id: siteId, name: 'Signs in', expire_minutes: 60 })
  expect((await app.call('/api/v2/vouchers', { method: 'POST', key, body: first })).status).toBe(201)
  await simulator.forget()
  await simulator.behave({ booting: true })
  await startOutage(app.db, (await findSiteOnController(app.db, siteId))?.controllerId as string)
  const body = JSON.stringify({ site_id: siteId, name: 'Event', count: 3 })
  const { id } = (await app.call('/api/v2/batches', { method: 'POST', key, body })).json()
  const read = async () => (await app.call(`/api/v2/batches/${id}`, { key })).json()
  await new Promise((resolve) => setTimeout(resolve, 3_000))

  expect(await read()).toMatchObject({ waiting: 3, under_way: 0 })
  expect(await simulator.creates()).toBe(0)
  await simulator.behave({ booting: false })
  await vi.waitFor(async () => expect(await read()).toMatchObject({ state: 'done', made: 3 }), { timeout: 40_000 })
})
