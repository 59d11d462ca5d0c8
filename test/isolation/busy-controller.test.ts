import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { noteFailure } from '#domain/outages/track-outages.ts'
import { findSiteOnController, type SiteOnController } from '#domain/sites/sites.queries.ts'
import { callsAtOnce } from '#drivers/driver.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()

test('a controller with slow answers on all allowed calls does not count as out of reach', async () => {
  const simulator = await startSimulator()
  const site = (await findSiteOnController(app.db, await seedControlledSite(app.db, simulator))) as SiteOnController
  const { controllers } = app.context
  const shape = { name: 'x', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
  const make = async () => {
    for await (const _ of controllers.connectionOf(site).create(site.controllerSite, shape, 1)) return 'made'
    return 'nothing'
  }
  const { creating, reading, bulk } = callsAtOnce
  await make()
  await simulator.fault('slow', { delayMs: 5_000, times: creating + reading + bulk })
  const calls = [
    ...range(creating).map(() => controllers.inSlot(site.controllerId, make)),
    ...range(reading).map(() => controllers.inBackground(site.controllerId, make)),
    ...range(bulk).map(() => controllers.inBulk(site.controllerId, make)),
  ]
  await sleep(200)

  expect(await noteFailure(app.context, site, 'timeout')).toBe(false)
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['made']))
})
