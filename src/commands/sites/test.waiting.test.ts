import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, describe, expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { createControllers } from '#domain/controllers/controllers.ts'
import { addSite } from '#domain/sites/add-site.ts'
import type { Credentials } from '#drivers/driver.ts'
import { httpLayers as layers } from '#drivers/http-base/layer-checks.ts'
import { drivers } from '#drivers/registry.ts'
import { machineClock } from '#lib/clock.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { testActor } from '#test/data/seed.ts'
import { addressPolicy } from '#test/drivers.ts'
import { testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'
import { testSite } from './sites.ts'

const db = await createTestDatabase()
const console = await startSimulator('--https', '--login-limit', '0')
const selfHosted = await startSimulator('--https', '--login-limit', '0', '--flavour', 'self-hosted')
const plain = await startSimulator(`--api-key=${console.apiKey}`)

const kinds = {
  'a console with an API key': { on: console, driver: 'unifi-integration', right: { apiKey: console.apiKey } },
  'a console with a login': { on: console, driver: 'unifi-classic', right: console.login },
  'a self-hosted application': { on: selfHosted, driver: 'unifi-classic', right: selfHosted.login },
}
type Kind = (typeof kinds)[keyof typeof kinds]
const integration = kinds['a console with an API key']
const logins = Object.entries(kinds).filter(([, { driver }]) => driver === 'unifi-classic')

type Changes = { address?: string; pin?: Buffer | null; credentials?: Credentials; site?: string; active?: boolean }

async function seed(kind: Kind, changes: Changes = {}): Promise<{ site: number; controller: string }> {
  const controller = `Haus ${uuidv7()}`
  const pin = changes.pin === undefined ? parseFingerprint(kind.on.fingerprint as string) : changes.pin
  await addController({ db, keyring: testKeyring, drivers }, testActor, {
    name: controller,
    driver: kind.driver,
    address: changes.address ?? kind.on.url,
    credentials: changes.credentials ?? kind.right,
    ...(pin && { certificatePin: pin }),
  })
  const site = { name: 'Haus', controller, controllerSite: changes.site ?? 'default', active: changes.active ?? true }
  return { site: (await addSite(db, testActor, site)).id, controller }
}

/** Tests the site as a newly started process would. */
async function runTest(id: number) {
  const controllers = createControllers({ drivers, db, keyring: testKeyring, addressPolicy, clock: machineClock })
  const results = await testSite({ db, controllers, addressPolicy }, id)
  await controllers.close()
  return results
}

/** The layer that failed, and why. Checks that all layers before it passed and that no layer after it was tried. */
async function failureOf(id: number, undecided: string[] = []) {
  const results = await runTest(id)
  expect(results.map(({ layer }) => layer)).toEqual(layers)
  const at = results.findIndex(({ result }) => result === 'failed')
  const before = results.slice(0, at).filter(({ layer }) => !undecided.includes(layer))
  expect(before.map(({ result }) => result)).toEqual(before.map(() => 'ok'))
  expect(results.filter(({ layer }) => undecided.includes(layer)).map(({ result }) => result)).toEqual(
    undecided.map(() => 'not tried'),
  )
  expect(results.slice(at + 1).map(({ result, detail }) => [result, detail])).toEqual(
    results.slice(at + 1).map(() => ['not tried', '']),
  )
  return [results[at]?.layer, results[at]?.detail]
}

beforeEach(async () => {
  for (const simulator of [console, selfHosted]) await simulator.forget()
})

describe.each(Object.entries(kinds))('%s', (_, kind) => {
  test('every layer is ok, with a detail for people', async () => {
    const { site } = await seed(kind, { active: false })
    const results = await runTest(site)

    expect(results.map(({ layer, result }) => [layer, result])).toEqual(layers.map((layer) => [layer, 'ok']))
    expect(results.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^https, port \d+$/),
      'an address: no name to look up',
      expect.stringMatching(/^port \d+ is open$/),
      `${kind.on.fingerprint} is the pinned one`,
      'signed in, version 10.3.55',
      'nothing was rejected',
      '"default"',
      'vouchers can be read',
    ])
  })

  test('address: a link-local address is rejected before anything is tried', async () => {
    const { site } = await seed(kind, { address: 'https://169.254.169.254' })

    expect(await failureOf(site)).toEqual(['address', expect.stringContaining('This address is not allowed')])
  })

  test('sign-in: no credentials are stored', async () => {
    const { site, controller } = await seed(kind)
    await db.query('update controllers set secret = null where name = $1', [controller])

    const username = kind.driver === 'unifi-classic' ? ' --username …' : ''
    expect(await failureOf(site)).toEqual([
      'sign-in',
      'No credentials are stored. Enter them with ' +
        `\`voucher-service controllers set '${controller}'${username} --new-secret\`.`,
    ])
    expect(await kind.on.requests()).toEqual([])
  })

  test('dns: an unknown name', async () => {
    const { site } = await seed(kind, { address: 'https://controller.invalid' })

    expect(await failureOf(site)).toEqual([
      'dns',
      expect.stringMatching(/^No address was found for controller\.invalid\. Check the spelling.*\(E[A-Z_]+\)\.$/),
    ])
  })

  test('connect: a closed port', async () => {
    const { site } = await seed(kind, { address: `https://127.0.0.1:${await freePort()}` })

    expect(await failureOf(site)).toEqual([
      'connect',
      expect.stringMatching(/^Nothing listens on port \d+ of 127\.0\.0\.1\. .* Reason: ECONNREFUSED\.$/),
    ])
  })

  test('tls: a self-signed certificate without a pin; the message says how to pin it, and nothing is sent', async () => {
    const { site, controller } = await seed(kind, { pin: null })
    const { fingerprint } = kind.on

    expect(await failureOf(site)).toEqual([
      'tls',
      `${fingerprint} is not pinned, and no public certificate authority has signed it (DEPTH_ZERO_SELF_SIGNED_CERT). ` +
        'Compare it with what the controller shows, then run ' +
        `\`voucher-service controllers set '${controller}' --pin ${fingerprint} --new-secret\`.`,
    ])
    expect(await kind.on.requests()).toEqual([])
  })

  test('tls: the certificate is not the pinned one, and nothing is sent', async () => {
    const { site } = await seed(kind, { pin: Buffer.alloc(32, 0xab) })

    expect(await failureOf(site)).toEqual([
      'tls',
      expect.stringMatching(/^([0-9A-F:]{95}) is not the pinned (AB:){31}AB: .*--pin \1 --new-secret`\.$/),
    ])
    expect(await kind.on.requests()).toEqual([])
  })

  test('sign-in: wrong credentials, which are not shown', async () => {
    const wrong = 'apiKey' in kind.right ? { apiKey: 'hunter2' } : { username: 'api', password: 'hunter2' }
    const { site } = await seed(kind, { credentials: wrong })
    const results = await runTest(site)

    expect(await failureOf(site)).toEqual([
      'sign-in',
      expect.stringMatching(
        /does not accept the stored credentials: .*\. Enter new ones with `voucher-service controllers set 'Haus /,
      ),
    ])
    expect(JSON.stringify(results)).not.toContain('hunter2')
  })

  test('sign-in: a controller that is still starting', async () => {
    const { site } = await seed(kind)
    await kind.on.behave({ booting: true })

    expect(await failureOf(site)).toEqual(['sign-in', expect.stringMatching(/It may be starting.* Reason: .*502/)])
  })

  test('site: unknown on the controller', async () => {
    const { site } = await seed(kind, { site: 'nowhere' })

    expect(await failureOf(site, ['permission'])).toEqual(['site', expect.stringContaining('Site "nowhere" was')])
  })

  test('hotspot: vouchers cannot be read', async () => {
    const { site } = await seed(kind)
    await kind.on.fault('server-error', { on: 'list' })

    expect(await failureOf(site, ['permission', 'site'])).toEqual([
      'hotspot',
      expect.stringContaining('The controller answered 500'),
    ])
  })

  test('repeated tests sign in only once and change nothing', async () => {
    const before = (await kind.on.vouchers()).length
    const { site } = await seed(kind)
    for (let i = 0; i < 6; i++) await runTest(site)

    expect(await kind.on.signIns()).toHaveLength('apiKey' in kind.right ? 0 : 1)
    expect((await kind.on.vouchers()).length).toBe(before)
  })
})

describe.each(logins)('%s', (_, kind) => {
  test('sign-in: a wrong password is not tried again at once, but a new one is', async () => {
    const { site, controller } = await seed(kind, { credentials: { username: 'api', password: 'hunter2' } })
    for (let i = 0; i < 3; i++) expect((await failureOf(site))[0]).toBe('sign-in')
    const refused = (await kind.on.signIns()).length
    const set = ['controllers', 'set', controller, '--secret-file', '-']
    await runCommand(db.url, set, { stdin: kind.on.login.password })

    expect(refused).toBe(kind.on === selfHosted ? 2 : 1) // self-hosted: as an administrator, then as a hotspot operator
    expect((await runTest(site)).map(({ result }) => result)).toEqual(layers.map(() => 'ok'))
  })

  test('sign-in: a second factor', async () => {
    const { site } = await seed(kind)
    await kind.on.behave({ mfa: true })

    expect(await failureOf(site)).toEqual(['sign-in', expect.stringContaining('needs a second factor')])
  })

  test('sign-in: too many sign-ins', async () => {
    const { site } = await seed(kind)
    await kind.on.fault('too-many', { on: 'login' })

    expect(await failureOf(site)).toEqual(['sign-in', expect.stringContaining('Wait a minute')])
  })

  test('permission: an administrator who may only read', async () => {
    const { site } = await seed(kind)
    await kind.on.behave({ readOnly: true })

    expect(await failureOf(site)).toEqual(['permission', expect.stringContaining('may not create vouchers')])
  })
})

test('sign-in: a controller that accepts connections and never answers', async () => {
  const sites = await Promise.all(Object.values(kinds).map((kind) => seed(kind)))
  for (const simulator of [console, selfHosted]) await simulator.behave({ hang: true })
  const failures = await Promise.all(sites.map(({ site }) => failureOf(site)))

  expect(failures).toEqual(sites.map(() => ['sign-in', expect.stringContaining('did not answer in time')]))
})

test('a hotspot operator of a self-hosted application: every layer of its site is ok', async () => {
  const sites = ['--site', 'default=Default', '--site', 'branch=Branch', '--hotspot-operator', 'branch']
  const on = await startSimulator('--https', '--flavour', 'self-hosted', ...sites)
  const { site } = await seed({ on, driver: 'unifi-classic', right: on.login }, { site: 'branch' })

  expect((await runTest(site)).map(({ result }) => result)).toEqual(layers.map(() => 'ok'))
})

test('dns: a name that leads to a port of the service itself', async () => {
  const { site } = await seed(integration, { address: 'https://localhost:5432' })

  expect(await failureOf(site)).toEqual(['dns', expect.stringContaining('This address is not allowed')])
})

test('permission: a key that may not see the vouchers', async () => {
  const { site } = await seed(integration)
  await console.fault('forbidden', { on: 'list' })

  expect(await failureOf(site)).toEqual(['permission', expect.stringContaining('The controller answered 403')])
})

test('sign-in: the wrong driver for the controller', async () => {
  const { site } = await seed({ ...integration, on: selfHosted })

  expect(await failureOf(site)).toEqual([
    'sign-in',
    expect.stringContaining('does not have the API of unifi-integration'),
  ])
})

test('plain HTTP works, with a warning', async () => {
  const { site } = await seed(integration, { address: plain.url, pin: null })
  const results = await runTest(site)

  expect(results.map(({ result }) => result)).toEqual(layers.map((layer) => (layer === 'tls' ? 'not tried' : 'ok')))
  expect(results.find(({ layer }) => layer === 'tls')?.detail).toContain('not encrypted')
})

test.each(Object.entries(kinds))('%s: http:// redirects to https: the message says to use https', async (_, kind) => {
  const server = createHttpServer((_request, response) => response.writeHead(301, { location: kind.on.url }).end())
  const { site, controller } = await seed(kind, { address: `http://127.0.0.1:${await listen(server)}`, pin: null })
  const verified = await runCommand(db.url, ['controllers', 'verify', controller, '--yes'])

  expect(await failureOf(site, ['tls'])).toEqual([
    'sign-in',
    expect.stringMatching(/Use its https:\/\/ address.* controllers set .* --address https:\/\//),
  ])
  expect(verified.stdout).toMatch(
    /\nprobe +failed +\d+ +1 +insecure, refused, status 301: use the https:\/\/ address\n/,
  )
})

test.each([
  ['speaks no TLS', (socket: Socket) => socket.on('error', () => {}).end('HTTP/1.1 400 No\r\n\r\n')],
  ['hangs up', (socket: Socket) => socket.destroy()],
])('tls: a port that %s', async (_, behave) => {
  const site = await seedPort(behave)

  expect(await failureOf(site)).toEqual([
    'tls',
    expect.stringMatching(/^Port \d+ does not use TLS\. .* Reason: \w+\.$/),
  ])
})

test('tls: a controller that accepts connections and hangs', async () => {
  const site = await seedPort((socket) => socket.on('error', () => {}))

  expect(await failureOf(site)).toEqual([
    'tls',
    expect.stringMatching(/^127\.0\.0\.1 did not answer in time on port \d+\. .* restart it\. Reason: \w+\.$/),
  ])
})

async function seedPort(behave: (socket: Socket) => unknown): Promise<number> {
  const port = await listen(createServer(behave))
  const { site } = await seed(integration, { address: `https://127.0.0.1:${port}` })
  return site
}

test('tls: the command in the message solves the problem', async () => {
  const { site } = await seed(integration, { pin: null })
  const [, detail] = await failureOf(site)
  const [, name = '', pin = ''] = /controllers set '([^']+)' --pin (\S+) --new-secret`\.$/.exec(detail ?? '') ?? []
  const set = ['controllers', 'set', name, '--pin', pin, '--new-secret']
  const { exitCode } = await runCommand(db.url, set, { stdin: `${console.apiKey}\n` })

  expect(exitCode).toBe(0)
  expect((await runTest(site)).map(({ result }) => result)).toEqual(layers.map(() => 'ok'))
})

test('`sites test` prints a table or JSON, with exit code 0 or 1', async () => {
  const [good, bad] = [await seed(integration), await seed(integration, { pin: null })]
  const run = (...args: string[]) => runCommand(db.url, ['sites', 'test', ...args])
  const [table, json, failing, unknown, nonsense] = await Promise.all([
    run(String(good.site)),
    run(String(good.site), '--json'),
    run(String(bad.site)),
    run('999999'),
    run('x'),
  ])

  expect([table.exitCode, table.stdout]).toEqual([
    0,
    expect.stringMatching(/^layer +result +ms +detail\naddress +ok +\d+ +https, port/),
  ])
  expect([json.exitCode, json.json()[0]]).toEqual([
    0,
    { layer: 'address', result: 'ok', ms: expect.any(Number), detail: expect.any(String) },
  ])
  expect([failing.exitCode, failing.stdout]).toEqual([1, expect.stringMatching(/\ntls +failed +\d+ +[0-9A-F:]{95} is/)])
  expect(failing.stdout).toMatch(/\nhotspot +not tried +- +-\n$/)
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    1,
    'voucher-service: No site has the id 999999. List all sites with `voucher-service sites list`.\n',
  ])
  expect(nonsense.exitCode).toBe(2)
  for (const { stdout } of [table, json, failing]) expect(stdout).not.toContain(console.apiKey)
})

test('`sites test --all` has one line for each active site, and fails if one fails', async () => {
  const own = await createTestDatabase()
  const controller = { name: 'Haus', driver: 'unifi-integration', address: plain.url, credentials: integration.right }
  await addController({ db: own, keyring: testKeyring, drivers }, testActor, controller)
  const add = (name: string, controllerSite: string, active = true) =>
    addSite(own, testActor, { name, controller: 'Haus', controllerSite, active })
  const [good, wrong] = [await add('Adler', 'default'), await add('Krone', 'nope')]
  await add('Closed', 'closed', false)

  const { exitCode, ...run } = await runCommand(own.url, ['sites', 'test', '--all', '--json'])

  expect(run.json()).toEqual([
    { site: good.id, name: 'Adler', controller: 'Haus', result: 'ok', layer: null, detail: '' },
    { site: wrong.id, name: 'Krone', controller: 'Haus', result: 'failed', layer: 'site', detail: expect.any(String) },
  ])
  expect(exitCode).toBe(1)
})

test('`sites test` needs the number of a site or --all, and not both', async () => {
  for (const args of [[], ['1', '--all']])
    expect(await runCommand(db.url, ['sites', 'test', ...args])).toMatchObject({
      exitCode: 1,
      stderr: 'voucher-service: Give either the number of a site, or --all.\n',
    })
})
