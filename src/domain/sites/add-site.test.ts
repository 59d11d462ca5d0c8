import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { addController } from '../controllers/add-controller.ts'
import { addSite } from './add-site.ts'
import { activateSite } from './change-site.ts'
import { listSites } from './sites.queries.ts'

const db = await createTestDatabase()
await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
  name: 'Zentrale',
  driver: 'unifi-integration',
  address: 'https://192.168.1.1/',
  credentials: { apiKey: 'geheim' },
})
const site = { name: 'Hauptgebäude', controller: 'Zentrale', controllerSite: 'default', active: true }

test('a site is added, deactivated and activated again; each is audited', async () => {
  const added = await addSite(db, testActor, site)

  expect(added).toEqual({
    id: expect.any(Number),
    name: 'Hauptgebäude',
    active: true,
    controller: 'Zentrale',
    controllerSite: 'default',
    adoptsVouchers: false,
    tagsNames: false,
    unrecorded: 0,
    createdAt: expect.any(Date),
    vouchersPerDay: null,
    longestMinutes: null,
  })
  expect(await listSites(db)).toEqual([{ ...added, syncedAt: null }])
  expect(await activateSite(db, testActor, added.id, false)).toEqual({ ...added, active: false })
  expect(await activateSite(db, testActor, added.id, true)).toEqual(added)
  const { rows } = await db.query<{ action: string }>(`select action from audit where target_kind = 'site' order by id`)
  expect(rows.map(({ action }) => action)).toEqual(['site.added', 'site.deactivated', 'site.activated'])
})

test('a site of a controller can be added only once', async () => {
  await expect(addSite(db, testActor, { ...site, name: 'Zweiter' })).rejects.toThrow('controller_site_taken')
  expect(
    await addSite(db, testActor, { ...site, name: 'Zweiter', controllerSite: 'annex', adoptsVouchers: true }),
  ).toMatchObject({
    controllerSite: 'annex',
    adoptsVouchers: true,
  })
})

test('an unknown controller or site is rejected', async () => {
  await expect(addSite(db, testActor, { ...site, controller: 'Nirgends' })).rejects.toThrow('controller_not_found')
  await expect(activateSite(db, testActor, 999, true)).rejects.toThrow('site_not_found')
})
