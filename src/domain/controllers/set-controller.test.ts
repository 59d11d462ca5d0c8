import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Credentials } from '#drivers/driver.ts'
import { type Keyring, open, seal } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { createTestDatabase } from '#test/database.ts'
import { testKeyring as keyring } from '#test/environment.ts'
import { addController } from './add-controller.ts'
import { listControllers } from './controllers.queries.ts'
import { setController } from './set-controller.ts'

const db = await createTestDatabase()
const drivers = { console: { credentials: 'api-key' }, classic: { credentials: 'login' } } as const
const [pin, otherPin] = [randomBytes(32), randomBytes(32)]
const address = 'https://192.168.1.1'
const login = { username: 'api', password: 'hunter2' }

type Stored = { id: string; secret: string | null; session: string | null }
const stored = async (name: string) =>
  (await db.query<Stored>('select id, secret, session from controllers where name = $1', [name])).rows[0] as Stored
const audited = async () =>
  (await db.query<{ details: object }>(`select details from audit where action = 'controller.changed' order by id`))
    .rows
const set = (name: string, request: Parameters<typeof setController>[2], ring: Keyring = keyring) =>
  setController({ db, keyring: ring, drivers }, name, request)

async function credentialsOf(name: string): Promise<Credentials | null> {
  const { id, secret } = await stored(name)
  return secret && JSON.parse(open(keyring, { table: 'controllers', column: 'secret', row: id }, secret))
}

beforeEach(async () => {
  await db.query('truncate controllers cascade')
  await db.query('delete from audit')
  for (const [name, driver, credentials] of [
    ['c', 'console', { apiKey: 'key' }],
    ['l', 'classic', login],
  ] as const) {
    const { id } = await addController(db, keyring, { name, driver, address, credentials, certificatePin: pin })
    const session = seal(keyring, { table: 'controllers', column: 'session', row: id }, 'cookie')
    await db.query('update controllers set session = $2 where id = $1', [id, session])
  }
})

describe('the stored secret and session are erased', () => {
  test.each([
    ['another host', { address: 'https://192.168.1.2' }, 'the address changed'],
    ['another port', { address: 'https://192.168.1.1:8443' }, 'the address changed'],
    ['another path', { address: 'https://192.168.1.1/x' }, 'the address changed'],
    ['another pin', { certificatePin: otherPin }, 'the pin changed'],
    ['no pin', { certificatePin: null }, 'the pin changed'],
    ['no TLS', { address: 'http://192.168.1.1', certificatePin: null }, 'the address and the pin changed'],
    ['another host and name', { address: 'https://x', rename: 'new' }, 'the address changed'],
  ])('by %s', async (_what, request, because) => {
    const { controller, erasedBecause } = await set('c', request)

    expect([erasedBecause, controller.hasSecret]).toEqual([because, false])
    expect(await stored(controller.name)).toMatchObject({ secret: null, session: null })
    expect(await stored('l')).toMatchObject({ secret: expect.any(String), session: expect.any(String) })
    expect(await audited()).toMatchObject([{ details: { name: 'c', secretErased: true } }])
  })

  test('also when a pin is set where there was none', async () => {
    await set('c', { certificatePin: null, secret: 'again' })

    expect(await set('c', { certificatePin: pin })).toMatchObject({ erasedBecause: 'the pin changed' })
    expect(await stored('c')).toMatchObject({ secret: null, session: null })
  })
})

describe('nothing is erased', () => {
  test.each([
    ['the same address', { address }],
    ['the same address in other letters', { address: 'HTTPS://192.168.1.1:443/' }],
    ['the same pin', { certificatePin: Buffer.from(pin) }],
    ['the same name', { rename: 'c' }],
  ])('and nothing is noted: %s', async (_what, request) => {
    const before = await stored('c')

    expect(await set('c', request)).toMatchObject({ erasedBecause: undefined, controller: { hasSecret: true } })
    expect(await stored('c')).toEqual(before)
    expect(await audited()).toEqual([])
  })

  test('by another name', async () => {
    const before = await stored('c')

    expect(await set('c', { rename: ' Zentrale ', address })).toMatchObject({ controller: { name: 'Zentrale' } })
    expect(await stored('Zentrale')).toEqual(before)
    expect(await audited()).toEqual([{ details: { name: 'c', changes: { name: { from: 'c', to: 'Zentrale' } } } }])
  })

  test('twice: of a controller that has no secret', async () => {
    await set('c', { address: 'https://a' })

    expect(await set('c', { address: 'https://b' })).toMatchObject({ erasedBecause: undefined })
    expect((await audited())[1]?.details).not.toHaveProperty('secretErased')
  })
})

describe('credentials that are entered', () => {
  test('alone: they replace the secret, and the session ends', async () => {
    const { controller, erasedBecause } = await set('c', { secret: 'new' })

    expect([controller.hasSecret, erasedBecause]).toEqual([true, undefined])
    expect([await credentialsOf('c'), (await stored('c')).session]).toEqual([{ apiKey: 'new' }, null])
    expect(await audited()).toEqual([{ details: { name: 'c', changes: {}, secretReplaced: true } }])
  })

  test('with a new address and pin: they are stored, the audit tells the change but no secret', async () => {
    await set('l', { address: 'https://new', certificatePin: otherPin, username: 'neu', secret: 'geheim' })

    expect(await credentialsOf('l')).toEqual({ username: 'neu', password: 'geheim' })
    expect((await stored('l')).session).toBeNull()
    expect(await audited()).toEqual([
      {
        details: {
          name: 'l',
          changes: {
            address: { from: address, to: 'https://new' },
            certificatePin: { from: formatFingerprint(pin), to: formatFingerprint(otherPin) },
          },
          secretReplaced: true,
        },
      },
    ])
  })

  test('the user name is kept while it can be opened', async () => {
    await set('l', { address: 'https://new', secret: 'geheim' })
    expect(await credentialsOf('l')).toEqual({ username: 'api', password: 'geheim' })

    await set('l', { address: 'https://newer' })
    await expect(set('l', { secret: 'geheim' })).rejects.toThrow('classic needs --username: none is stored that opens.')
    await set('l', { secret: 'geheim', username: 'api' })
    expect(await credentialsOf('l')).toEqual({ username: 'api', password: 'geheim' })
  })

  test('a secret of a lost encryption key can be replaced', async () => {
    const lost: Keyring = { currentId: 'k2', keys: new Map([['k2', randomBytes(32)]]) }

    await expect(set('l', { secret: 'x' }, lost)).rejects.toThrow('needs --username')
    expect((await set('l', { secret: 'x', username: 'u' }, lost)).controller.hasSecret).toBe(true)
    expect((await set('c', { secret: 'x' }, lost)).controller.hasSecret).toBe(true)
  })
})

test.each([
  ['none', { rename: 'x' }, 'No controller is called "none".'],
  ['c', { rename: 'l' }, 'A controller is called "l" already.'],
  ['c', { rename: '' }, 'A name is one line'],
  ['c', { address: 'https://u:p@x' }, 'The address must hold no user name'],
  ['c', { address: 'http://x' }, 'Only an https:// address has a certificate.'],
  ['c', { username: 'u', secret: 's' }, 'console takes no --username.'],
  ['c', { username: 'u' }, 'console takes no --username.'],
  ['l', { username: 'u' }, 'A user name is changed together with its password'],
  ['l', { username: 'me@example.org', secret: 's' }, 'Make a local administrator'],
])('refused, and nothing is changed: %s %j', async (name, request, message) => {
  const before = [await stored('c'), await stored('l')]

  await expect(set(name, request)).rejects.toThrow(message)
  expect([await stored('c'), await stored('l')]).toEqual(before)
  expect(await audited()).toEqual([])
})

test('a cloud account is refused when a controller is added', async () => {
  const credentials = { username: 'me@example.org', password: 'x' }

  await expect(addController(db, keyring, { name: 'x', driver: 'classic', address, credentials })).rejects.toThrow(
    'A user name with @ is a cloud account, which needs a second factor. Make a local administrator',
  )
  expect((await listControllers(db)).map(({ name }) => name)).toEqual(['c', 'l'])
})

test('two changes at once follow each other: the secret entered for one place does not survive the other', async () => {
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
