import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Keyring, open } from '#lib/cipher.ts'
import { createTestDatabase } from '#test/database.ts'
import { addController } from '../controllers/add-controller.ts'
import { listControllers } from '../controllers/controllers.queries.ts'
import { activateSite } from './activate-site.ts'
import { addSite } from './add-site.ts'
import { listSites } from './sites.queries.ts'

const db = await createTestDatabase()
const keyring: Keyring = { currentId: 'k', keys: new Map([['k', randomBytes(32)]]) }
const controller = {
  name: 'Zentrale',
  driver: 'unifi-integration',
  address: 'https://192.168.1.1/',
  credentials: { apiKey: 'geheim' },
}
const site = { name: 'Hauptgebäude', controller: 'Zentrale', controllerSite: 'default', active: true }

test('a controller is added with its credentials sealed', async () => {
  const added = await addController(db, keyring, controller)

  expect(await listControllers(db)).toEqual([
    {
      id: added.id,
      name: 'Zentrale',
      driver: 'unifi-integration',
      address: 'https://192.168.1.1',
      certificatePin: null,
      hasSecret: true,
      siteCount: 0,
      createdAt: added.createdAt,
    },
  ])
  const { rows } = await db.query<{ secret: string }>('select secret from controllers')
  const secret = rows[0]?.secret as string
  expect(JSON.parse(open(keyring, { table: 'controllers', column: 'secret', row: added.id }, secret))).toEqual({
    apiKey: 'geheim',
  })
})

test.each(['192.168.1.1', 'ftp://x', 'https://user:pw@x', 'https://x?key=1', 'https://x#y', ''])(
  'the address %j is refused',
  async (address) => {
    await expect(addController(db, keyring, { ...controller, name: 'Other', address })).rejects.toThrow(
      'The address must',
    )
  },
)

test('a second controller of that name is refused', async () => {
  await expect(addController(db, keyring, controller)).rejects.toThrow('A controller is called "Zentrale" already.')
})

test('a site is added, deactivated and activated again; each is audited', async () => {
  const added = await addSite(db, site)

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
  })
  expect(await listSites(db)).toEqual([added])
  expect(await activateSite(db, added.id, false)).toEqual({ ...added, active: false })
  expect(await activateSite(db, added.id, true)).toEqual(added)
  const { rows } = await db.query<{ action: string }>(`select action from audit where target_kind = 'site' order by id`)
  expect(rows.map(({ action }) => action)).toEqual(['site.added', 'site.deactivated', 'site.activated'])
})

test("one controller's site belongs to one site of ours", async () => {
  await expect(addSite(db, { ...site, name: 'Zweiter' })).rejects.toThrow('belongs to another site already')
  expect(await addSite(db, { ...site, name: 'Zweiter', controllerSite: 'annex', adoptsVouchers: true })).toMatchObject({
    controllerSite: 'annex',
    adoptsVouchers: true,
  })
})

test('an unknown controller or site is refused', async () => {
  await expect(addSite(db, { ...site, controller: 'Nirgends' })).rejects.toThrow('No controller is called "Nirgends".')
  await expect(activateSite(db, 999, true)).rejects.toThrow('No site has the id 999.')
})
