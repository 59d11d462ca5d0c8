import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Credentials } from '#drivers/driver.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testKeyring as keyring, testDrivers } from '#test/environment.ts'
import { addController, findDriver } from '../controllers/add-controller.ts'
import { listControllers } from '../controllers/controllers.queries.ts'
import { setController } from './set-controller.ts'

const db = await createTestDatabase()
const drivers = {
  console: findDriver(testDrivers, 'unifi-integration'),
  classic: findDriver(testDrivers, 'unifi-classic'),
}
const [pin, otherPin] = [randomBytes(32), randomBytes(32)]
const address = 'https://192.168.1.1'
const login = { username: 'api', password: 'hunter2' }

type Stored = { id: string; secret: string | null; session: string | null }
const stored = async (name: string) =>
  (await db.query<Stored>('select id, secret, session from controllers where name = $1', [name])).rows[0] as Stored
const audited = async () =>
  (await db.query<{ details: object }>(`select details from audit where action = 'controller.changed' order by id`))
    .rows
const set = (name: string, request: Parameters<typeof setController>[3], ring: Keyring = keyring) =>
  setController({ db, keyring: ring, drivers }, testActor, name, request)

async function credentialsOf(name: string): Promise<Credentials | null> {
  const { id, secret } = await stored(name)
  return secret && JSON.parse(decrypt(keyring, { table: 'controllers', column: 'secret', row: id }, secret))
}

beforeEach(async () => {
  await db.query('truncate controllers cascade')
  await db.query('delete from audit')
  for (const [name, driver, credentials] of [
    ['c', 'console', { apiKey: 'key' }],
    ['l', 'classic', login],
  ] as const) {
    const { id } = await addController({ db, keyring, drivers }, testActor, {
      name,
      driver,
      address,
      credentials,
      certificatePin: pin,
    })
    const session = encrypt(keyring, { table: 'controllers', column: 'session', row: id }, 'cookie')
    await db.query('update controllers set session = $2 where id = $1', [id, session])
  }
})

describe('the stored secret and session are erased', () => {
  test.each([
    ['another host', { address: 'https://192.168.1.2' }, ['address']],
    ['another port', { address: 'https://192.168.1.1:8443' }, ['address']],
    ['another path', { address: 'https://192.168.1.1/x' }, ['address']],
    ['another pin', { certificatePin: otherPin }, ['certificatePin']],
    ['no pin', { certificatePin: null }, ['certificatePin']],
    ['no TLS', { address: 'http://192.168.1.1', certificatePin: null }, ['address', 'certificatePin']],
    ['another host and name', { address: 'https://x', rename: 'new' }, ['address']],
  ])('by %s', async (_what, request, because) => {
    const { controller, erasedBecause } = await set('c', request)

    expect([erasedBecause, controller.hasSecret]).toEqual([because, false])
    expect(await stored(controller.name)).toMatchObject({ secret: null, session: null })
    expect(await stored('l')).toMatchObject({ secret: expect.any(String), session: expect.any(String) })
    expect(await audited()).toMatchObject([{ details: { name: 'c', secretErased: true } }])
  })

  test('also when a pin is set where there was none', async () => {
    await set('c', { certificatePin: null, secret: 'again' })

    expect(await set('c', { certificatePin: pin })).toMatchObject({ erasedBecause: ['certificatePin'] })
    expect(await stored('c')).toMatchObject({ secret: null, session: null })
  })
})

describe('nothing is erased', () => {
  test.each([
    ['the same address', { address }],
    ['the same address in other letters', { address: 'HTTPS://192.168.1.1:443/' }],
    ['the same pin', { certificatePin: Buffer.from(pin) }],
    ['the same name', { rename: 'c' }],
  ])('and nothing is recorded in the audit: %s', async (_what, request) => {
    const before = await stored('c')

    expect(await set('c', request)).toMatchObject({ erasedBecause: [], controller: { hasSecret: true } })
    expect(await stored('c')).toEqual(before)
    expect(await audited()).toEqual([])
  })

  test('by another name', async () => {
    const before = await stored('c')

    expect(await set('c', { rename: ' Zentrale ', address })).toMatchObject({ controller: { name: 'Zentrale' } })
    expect(await stored('Zentrale')).toEqual(before)
    expect(await audited()).toEqual([{ details: { name: 'c', changes: { name: 'Zentrale' }, before: { name: 'c' } } }])
  })

  test('when the controller has no secret any more', async () => {
    await set('c', { address: 'https://a' })

    expect(await set('c', { address: 'https://b' })).toMatchObject({ erasedBecause: [] })
    expect((await audited())[1]?.details).not.toHaveProperty('secretErased')
  })
})

describe('credentials that are entered', () => {
  test('replace the secret and end the session', async () => {
    const { controller, erasedBecause } = await set('c', { secret: 'new' })

    expect([controller.hasSecret, erasedBecause]).toEqual([true, []])
    expect([await credentialsOf('c'), (await stored('c')).session]).toEqual([{ apiKey: 'new' }, null])
    expect(await audited()).toEqual([{ details: { name: 'c', changes: {}, before: {}, secretReplaced: true } }])
  })

  test('are stored with a new address and pin; the audit has the change and no secret', async () => {
    await set('l', { address: 'https://new', certificatePin: otherPin, username: 'neu', secret: 'geheim' })

    expect(await credentialsOf('l')).toEqual({ username: 'neu', password: 'geheim' })
    expect((await stored('l')).session).toBeNull()
    expect(await audited()).toEqual([
      {
        details: {
          name: 'l',
          changes: { address: 'https://new', certificatePin: formatFingerprint(otherPin) },
          before: { address, certificatePin: formatFingerprint(pin) },
          secretReplaced: true,
        },
      },
    ])
  })

  test('keep the stored user name, unless it was erased', async () => {
    await set('l', { address: 'https://new', secret: 'geheim' })
    expect(await credentialsOf('l')).toEqual({ username: 'api', password: 'geheim' })

    await set('l', { address: 'https://newer' })
    await expect(set('l', { secret: 'geheim' })).rejects.toThrow('username_required')
    await set('l', { secret: 'geheim', username: 'api' })
    expect(await credentialsOf('l')).toEqual({ username: 'api', password: 'geheim' })
  })

  test('replace a secret that cannot be decrypted any more', async () => {
    const lost: Keyring = { currentId: 'k2', keys: new Map([['k2', randomBytes(32)]]) }

    await expect(set('l', { secret: 'x' }, lost)).rejects.toThrow('username_required')
    expect((await set('l', { secret: 'x', username: 'u' }, lost)).controller.hasSecret).toBe(true)
    expect((await set('c', { secret: 'x' }, lost)).controller.hasSecret).toBe(true)
  })
})

test.each([
  ['none', { rename: 'x' }, 'controller_not_found'],
  ['c', { rename: 'l' }, 'controller_name_taken'],
  ['c', { rename: '' }, 'display_name_invalid'],
  ['c', { address: 'https://u:p@x' }, 'controller_address_with_extras'],
  ['c', { address: 'http://x' }, 'certificate_pin_without_tls'],
  ['c', { username: 'u', secret: 's' }, 'username_not_supported'],
  ['c', { username: 'u' }, 'username_not_supported'],
  ['l', { username: 'u' }, 'username_without_secret'],
  ['l', { username: 'me@example.org', secret: 's' }, 'cloud_account'],
])('rejected, and nothing is changed: %s %j', async (name, request, code) => {
  const before = [await stored('c'), await stored('l')]

  await expect(set(name, request)).rejects.toThrow(code)
  expect([await stored('c'), await stored('l')]).toEqual(before)
  expect(await audited()).toEqual([])
})

test('a cloud account is rejected when a controller is added', async () => {
  const credentials = { username: 'me@example.org', password: 'x' }

  await expect(
    addController({ db, keyring, drivers }, testActor, { name: 'x', driver: 'classic', address, credentials }),
  ).rejects.toThrow('cloud_account')
  expect((await listControllers(db)).map(({ name }) => name)).toEqual(['c', 'l'])
})

test('after two changes at once, a secret that was entered for one address is not stored with the other', async () => {
  for (let round = 0; round < 10; round++) {
    await set('c', { address: 'https://a', secret: 'start' })
    await Promise.all([set('c', { address: 'https://b', secret: 'for b' }), set('c', { address: 'https://c' })])
    const [controller] = await listControllers(db)
    const credentials = await credentialsOf('c')

    expect([
      ['https://b', { apiKey: 'for b' }],
      ['https://c', null],
    ]).toContainEqual([controller?.address, credentials])
  }
})
