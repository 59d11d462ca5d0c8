import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decrypt, type Keyring } from '#lib/cipher.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers } from '#test/environment.ts'
import { addController } from './add-controller.ts'
import { listControllers } from './controllers.queries.ts'

const db = await createTestDatabase()
const keyring: Keyring = { currentId: 'k', keys: new Map([['k', randomBytes(32)]]) }
const controller = {
  name: 'Zentrale',
  driver: 'unifi-integration',
  address: 'https://192.168.1.1/',
  credentials: { apiKey: 'geheim' },
}

test('a controller is added with encrypted credentials', async () => {
  const added = await addController({ db, keyring, drivers: testDrivers }, testActor, controller)

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
  expect(JSON.parse(decrypt(keyring, { table: 'controllers', column: 'secret', row: added.id }, secret))).toEqual({
    apiKey: 'geheim',
  })
})

test.each(['192.168.1.1', 'ftp://x', 'https://user:pw@x', 'https://x?key=1', 'https://x#y', ''])(
  'the address %j is rejected',
  async (address) => {
    await expect(
      addController({ db, keyring, drivers: testDrivers }, testActor, { ...controller, name: 'Other', address }),
    ).rejects.toThrow(/^controller_address/)
  },
)

test('a second controller of that name is rejected', async () => {
  await expect(addController({ db, keyring, drivers: testDrivers }, testActor, controller)).rejects.toThrow(
    'controller_name_taken',
  )
})
