import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite, testActor } from '#test/data/seed.ts'
import { testDrivers, testEnvironment } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { program, spawnCommand, startService } from '#test/service.ts'

const db = await createTestDatabase()
const [a, b] = [randomBytes(32), randomBytes(32)]
const ringA: Keyring = { currentId: 'a', keys: new Map([['a', a]]) }
const ringB: Keyring = { currentId: 'b', keys: new Map([['b', b]]) }
const env = (...ids: ('a' | 'b')[]) => ({
  ENCRYPTION_KEYS: ids.map((id) => `${id}:${{ a, b }[id].toString('base64')}`).join(),
})

type Stored = { id: string; name: string; secret: string }
const stored = async () => (await db.query<Stored>('select id, name, secret from controllers order by id')).rows
const place = (row: string) => ({ table: 'controllers', column: 'secret', row })

async function seedControllers(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => {
    const id = uuidv7()
    return { id, name: `c${i}`, secret: encrypt(ringA, place(id), `canary-password-${i}`) }
  })
  await db.query('truncate controllers cascade')
  await db.query(
    `insert into controllers (id, name, driver, address, secret)
     select id, name, 'unifi-classic', 'https://x', secret
       from jsonb_to_recordset($1::jsonb) as seeded (id uuid, name text, secret text)`,
    [JSON.stringify(rows)],
  )
}

test('a dump of the database contains no secret', async () => {
  const canary = `canary-${randomBytes(8).toString('hex')}`
  await addController({ db, keyring: ringA, drivers: testDrivers }, testActor, {
    name: 'canary',
    driver: 'unifi-classic',
    address: 'https://192.168.1.1',
    credentials: { username: `user-${canary}`, password: canary },
  })
  const { key } = await seedKey(db)
  await setGuestInfo({ db, keyring: ringA, today: { timeZone: 'UTC' } }, testActor, await seedSite(db), {
    wifiPassword: `wifi-${canary}`,
  })

  const { stdout } = await promisify(execFile)('pg_dump', ['--dbname', db.url], { maxBuffer: 64 * 1024 * 1024 })

  expect(stdout).toContain('unifi-classic')
  expect(stdout).not.toContain(canary)
  expect(stdout).not.toContain(Buffer.from(canary).toString('hex'))
  expect(stdout).not.toContain(key.slice(12))
})

test('plain text does not fit into an encrypted column', async () => {
  await seedControllers(1)

  await expect(db.query(`update controllers set secret = 'hunter2'`)).rejects.toThrow('encrypted_check')
})

test('two rows with their values swapped cannot be decrypted', async () => {
  await seedControllers(2)
  const [one, two] = (await stored()) as [Stored, Stored]

  await db.query('update controllers set secret = case id when $1 then $3 else $2 end', [
    one.id,
    one.secret,
    two.secret,
  ])

  for (const { id, secret } of await stored())
    expect(() => decrypt(ringA, place(id), secret)).toThrow('cannot be decrypted')
  await expect(checkKeyring(db, ringA)).rejects.toThrow('cannot be decrypted')
})

test('after `secrets rotate` is killed, every value can be decrypted, and a second run finishes the work', async () => {
  await seedControllers(1_500)
  const child = spawn(process.execPath, [program, 'secrets', 'rotate'], {
    env: { PATH: process.env['PATH'], ...testEnvironment(db.url, env('b', 'a')) },
  })
  const ended = once(child, 'exit')
  const rotated = async () => (await db.query(`select from controllers where secret like 'v1.b.%'`)).rows.length
  await vi.waitFor(async () => expect(await rotated()).toBeGreaterThan(100), { timeout: 40_000, interval: 5 })
  child.kill('SIGKILL')
  await ended
  const half = await rotated()
  const both: Keyring = { currentId: 'a', keys: new Map([...ringA.keys, ...ringB.keys]) }

  expect(half).toBeGreaterThanOrEqual(100)
  expect(half).toBeLessThan(1_500)
  for (const { id, name, secret } of await stored()) {
    expect(decrypt(both, place(id), secret)).toBe(`canary-password-${name.slice(1)}`)
  }
  const again = await runCommand(db.url, ['--json', 'secrets', 'rotate'], { env: env('b', 'a') })
  expect([half, half + 1]).toContain(1_500 - again.json().rotated) // the statement that was under way may still be committed
  expect(await rotated()).toBe(1_500)
})

test('no request fails while secrets are rotated', async () => {
  await seedControllers(1_000)
  const service = await startService(db.url, env('a', 'b'))
  const { key } = await seedKey(db)
  const statuses: number[] = []
  let rotating = true
  const load = (async () => {
    while (rotating)
      statuses.push((await call(`${service.url}/api/sites.php`, { headers: { 'x-api-key': key } })).status)
  })()

  const rotation = await spawnCommand(db.url, ['--json', 'secrets', 'rotate'], { env: env('b', 'a') })
  rotating = false
  await load
  await service.stop()

  expect(rotation.json()).toEqual({ rotated: 1_000 })
  expect(statuses.length).toBeGreaterThan(10)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('a process does not start with a keyring that cannot decrypt the stored secrets', async () => {
  await seedControllers(1)
  const wrong = { ENCRYPTION_KEYS: `a:${randomBytes(32).toString('base64')}` }

  const missing = await spawnCommand(db.url, ['api'], { env: env('b') })
  const other = await spawnCommand(db.url, ['api'], { env: wrong })

  const { rows } = await db.query<{ name: string }>('select name from controllers')
  expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('"a" is not configured')])
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('cannot be decrypted with key "a"')])
  for (const { stderr } of [missing, other]) expect(stderr).toContain(`controllers "${rows[0]?.name}"`)
})

test('a command with the wrong keys changes no secret; with --key-lost it replaces one that cannot be decrypted', async () => {
  await seedControllers(2)
  const before = await stored()
  const setSecret = ['controllers', 'set', 'c0', '--username', 'admin', '--secret-file', '-']
  const commands = [
    setSecret,
    [
      'controllers',
      'add',
      '--name',
      'new',
      '--driver',
      'unifi-integration',
      '--address',
      'https://x',
      '--secret-file',
      '-',
    ],
    ['webhooks', 'add', '--name', 'hook', '--format', 'generic', '--url-file', '-'],
    ['sites', 'set', '1', '--wifi-password', '-'],
    ['secrets', 'rotate'],
  ]
  for (const command of commands) {
    const { exitCode, stderr } = await runCommand(db.url, command, { env: env('b'), stdin: 'https://example.com/x' })
    expect([command, exitCode, stderr]).toEqual([command, 2, expect.stringContaining('controllers "c0"')])
  }
  expect(await stored()).toEqual(before)

  expect((await runCommand(db.url, [...setSecret, '--key-lost'], { env: env('b'), stdin: 'new' })).exitCode).toBe(0)
  const [first, second] = (await stored()) as [Stored, Stored]
  expect(JSON.parse(decrypt(ringB, place(first.id), first.secret))).toEqual({ username: 'admin', password: 'new' })
  expect(second).toEqual(before[1])
})
