import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, describe, expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import type { CheckCause } from '#drivers/layer-check.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { startApp } from '#test/app.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedKey, seedPerson, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'

const app = await startApp()
const sites = ['--site', 'default=Hotel', '--site', 'branch=Filiale']
const console = await startSimulator('--https', '--login-limit', '0', ...sites)
const selfHosted = await startSimulator('--https', '--login-limit', '0', '--flavour', 'self-hosted')
const plain = await startSimulator('--login-limit', '0', ...sites)

const databasePort = new URL(app.db.url).port || '5432'

beforeEach(async () => {
  for (const simulator of [console, selfHosted, plain]) await simulator.forget()
  await app.db.query('delete from rate_limits')
})

type Layer = { layer: string; result: string; duration_ms: number | null; cause: CheckCause | null; message: string }

async function check(body: object, language = 'en') {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const answer = await app.call('/api/v2/controllers/check', {
    method: 'POST',
    session,
    headers: { 'accept-language': language },
    body: JSON.stringify(body),
  })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.json()
}

/** The result of each layer, and the first layer with a cause. A layer that is skipped because of plain HTTP does not count. */
async function outcomeOf(body: object, language = 'en') {
  const { layers } = (await check(body, language)) as { layers: Layer[] }
  const told = layers.find(({ cause, result }) => cause !== null && (result === 'failed' || cause !== 'plain_http'))
  return { results: layers.map(({ result }) => result).join(' '), ...told }
}

const withKey = { driver: 'unifi-integration', address: console.url, certificate_pin: console.fingerprint }
const withLogin = { ...withKey, driver: 'unifi-classic' }
const right = { key: { secret: console.apiKey }, login: toFields(console.login) }

function toFields({ username, password }: { username: string; password: string }) {
  return { username, secret: password }
}

describe.each([
  ['API key', { ...withKey, ...right.key }],
  ['login', { ...withLogin, ...right.login }],
])('%s', (_, body) => {
  test('every layer is ok, with times, the certificate, the version and the sites; nothing is created', async () => {
    expect(await check(body)).toEqual({
      ok: true,
      driver: body.driver,
      address: console.url,
      layers: ['name', 'connection', 'certificate', 'sign_in', 'permission', 'site'].map((layer) => ({
        layer,
        result: 'ok',
        duration_ms: layer === 'permission' ? null : expect.any(Number),
        cause: null,
        message: null,
      })),
      addresses: ['127.0.0.1'],
      port: Number(new URL(console.url).port),
      certificate: {
        fingerprint: console.fingerprint,
        subject: expect.any(String),
        valid_until: expect.stringMatching(/^20\d\d-/),
        trust: 'pinned',
      },
      version: '10.3.55',
      sites: expect.toSatisfy((found: { controller_site: string }[]) =>
        ['branch', 'default'].every((id) => found.some(({ controller_site }) => controller_site === id)),
      ),
    })
    expect(await console.vouchers()).toEqual([])
  })

  test('without a secret only the network is tested, and the controller gets no request', async () => {
    const { secret: _, ...open } = body
    const { username: __, ...network } = open as typeof open & { username?: string }

    expect(await outcomeOf(network)).toMatchObject({
      results: 'ok ok ok skipped skipped skipped',
      layer: 'sign_in',
      cause: 'credentials_missing',
    })
    expect(await console.requests()).toEqual([])
  })

  test('a self-signed certificate: its fingerprint is shown and nothing is sent', async () => {
    const { certificate, layers } = await check({ ...body, certificate_pin: null })

    expect(certificate).toMatchObject({ fingerprint: console.fingerprint, trust: 'untrusted' })
    expect(layers[2]).toMatchObject({ result: 'failed', cause: 'certificate_self_signed' })
    expect(layers[3]).toMatchObject({ result: 'skipped', cause: null })
    expect(await console.requests()).toEqual([])
  })

  test('another certificate than the pinned one: nothing is sent', async () => {
    expect(await outcomeOf({ ...body, certificate_pin: 'AB'.repeat(32) })).toMatchObject({
      results: 'ok ok failed skipped skipped skipped',
      cause: 'certificate_changed',
    })
    expect(await console.requests()).toEqual([])
  })

  test('rejected credentials, which the answer does not contain', async () => {
    const answer = await check({ ...body, secret: 'hunter2canary' })

    expect(answer.layers[3]).toMatchObject({ result: 'failed', cause: 'credentials_refused' })
    expect(JSON.stringify(answer)).not.toContain('hunter2canary')
  })

  test('a site that does not exist: the message names those that do', async () => {
    expect(await outcomeOf({ ...body, controller_site: 'nowhere' })).toMatchObject({
      results: 'ok ok ok ok skipped failed',
      cause: 'site_missing',
      message: expect.stringMatching(/no site nowhere.*branch \(Filiale\)/),
    })
  })

  test('a controller that is starting', async () => {
    await console.behave({ booting: true })

    expect(await outcomeOf(body)).toMatchObject({ layer: 'sign_in', cause: 'controller_failed' })
  })

  test('a name without an address', async () => {
    expect(await outcomeOf({ ...body, address: 'https://controller.invalid' })).toMatchObject({
      results: 'failed skipped skipped skipped skipped skipped',
      cause: 'name_unknown',
      message: expect.stringContaining('controller.invalid'),
    })
  })

  test('a port on which nothing listens', async () => {
    const port = await freePort()

    expect(await outcomeOf({ ...body, address: `https://127.0.0.1:${port}` })).toMatchObject({
      results: 'ok failed skipped skipped skipped skipped',
      cause: 'port_closed',
      message: expect.stringContaining(`port ${port}`),
    })
  })

  test.each(['https://169.254.169.254', `https://localhost:${databasePort}`])('%s is not allowed', async (address) => {
    expect(await outcomeOf({ ...body, address })).toMatchObject({
      results: 'failed skipped skipped skipped skipped skipped',
      cause: 'address_forbidden',
    })
  })

  test('https:// to a port without TLS, and http:// to a port with TLS', async () => {
    const { certificate_pin: _, ...unpinned } = body

    expect(await outcomeOf({ ...body, address: plain.url.replace('http:', 'https:') })).toMatchObject({
      results: 'ok ok failed skipped skipped skipped',
      cause: 'not_tls',
    })
    expect(await outcomeOf({ ...unpinned, address: console.url.replace('https:', 'http:') })).toMatchObject({
      results: 'ok ok failed skipped skipped skipped',
      cause: 'tls_required',
    })
    expect([...(await console.requests()), ...(await plain.requests())]).toEqual([])
  })

  test('another web server', async () => {
    const { certificate_pin: _, ...unpinned } = body
    const port = await listen(createHttpServer((_request, response) => response.writeHead(404).end()))

    expect(await outcomeOf({ ...unpinned, address: `http://127.0.0.1:${port}` })).toMatchObject({
      results: 'ok ok skipped failed skipped skipped',
      cause: 'wrong_driver',
    })
  })
})

test('a port that accepts connections but does not answer', async () => {
  const port = await listen(createServer((socket) => void socket.on('error', () => {})))

  expect(await outcomeOf({ ...withKey, address: `https://127.0.0.1:${port}` })).toMatchObject({
    results: 'ok ok failed skipped skipped skipped',
    cause: 'no_answer',
  })
})

test('an API key for the Integration API on a self-hosted application: the wrong driver', async () => {
  const at = { address: selfHosted.url, certificate_pin: selfHosted.fingerprint }

  expect(await outcomeOf({ ...withKey, ...right.key, ...at })).toMatchObject({
    layer: 'sign_in',
    cause: 'wrong_driver',
    message: expect.stringContaining('unifi-integration'),
  })
})

test('a cloud account and a second factor; the first is not tried', async () => {
  expect(await outcomeOf({ ...withLogin, ...right.login, username: 'k@example.com' })).toMatchObject({
    results: 'ok ok ok failed skipped skipped',
    cause: 'cloud_account',
  })
  expect(await console.signIns()).toEqual([])
  await console.behave({ mfa: true })
  expect(await outcomeOf({ ...withLogin, ...right.login })).toMatchObject({ layer: 'sign_in', cause: 'second_factor' })
})

test('an account or a key without permission', async () => {
  await console.behave({ readOnly: true })
  expect(await outcomeOf({ ...withLogin, ...right.login })).toMatchObject({
    results: 'ok ok ok ok failed skipped',
    cause: 'no_permission',
  })
  await console.behave({ readOnly: false })
  await console.fault('forbidden', { on: 'list' })
  expect(await outcomeOf({ ...withKey, ...right.key })).toMatchObject({ layer: 'permission', cause: 'no_permission' })
})

test('plain HTTP works, with a warning', async () => {
  const { ok, layers } = await check({ driver: 'unifi-integration', address: plain.url, secret: plain.apiKey })

  expect(ok).toBe(true)
  expect(layers[2]).toMatchObject({ result: 'skipped', cause: 'plain_http' })
})

test('tests stop signing in before the controller limits sign-ins, and still test the network', async () => {
  const wrong = { ...withLogin, ...right.login, secret: 'wrong' }
  for (let i = 0; i < 3; i++) expect(await outcomeOf(wrong)).toMatchObject({ cause: 'credentials_refused' })

  expect(await outcomeOf({ ...withLogin, ...right.login })).toMatchObject({
    results: 'ok ok ok skipped skipped skipped',
    cause: 'sign_ins_too_many',
  })
  expect(await console.signIns()).toHaveLength(3)
  await console.fault('too-many', { on: 'login' })
  await app.db.query('delete from rate_limits')
  expect(await outcomeOf({ ...withLogin, ...right.login })).toMatchObject({ cause: 'controller_busy' })
})

test.each([
  ['another name', (url: URL) => `https://localhost:${url.port}`],
  ['its address in IPv6', (url: URL) => `https://[::ffff:127.0.0.1]:${url.port}`],
])('sign-ins at the same controller count together: %s', async (_, spell) => {
  const wrong = { ...withLogin, ...right.login, secret: 'wrong' }
  for (let i = 0; i < 2; i++) await outcomeOf(wrong)
  await outcomeOf({ ...wrong, address: spell(new URL(console.url)) })

  expect(await outcomeOf(wrong)).toMatchObject({ cause: 'sign_ins_too_many' })
})

test('a test with entered credentials is recorded without them; one of the network is not', async () => {
  const audit = async () =>
    (await app.db.query(`select target_id, details from audit where action = 'controller.checked'`)).rows
  await app.db.query('delete from audit')
  await check(withLogin)
  expect(await audit()).toEqual([])

  await check({ ...withLogin, ...right.login, secret: 'wrong-canary' })

  const { address } = await check(withLogin)
  const details = { name: address, address, driver: 'unifi-classic', reached: 'certificate' }
  expect(await audit()).toEqual([{ target_id: address, details }])
})

test('429 with Retry-After after 60 tests in a minute', async () => {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const body = JSON.stringify({ driver: 'unifi-integration', address: 'https://169.254.1.1' })
  const send = () => app.call('/api/v2/controllers/check', { method: 'POST', session, body })
  for (let i = 0; i < 60; i++) expect((await send()).status).toBe(200)
  const { status, headers, json } = await send()

  expect([status, json().error]).toEqual([429, 'controller_checks_too_many'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

describe('a recorded controller', () => {
  async function record(pin: string | undefined = console.fingerprint) {
    const certificatePin = parseFingerprint(pin as string)
    const { username, password } = console.login
    const controller = { name: uuidv7(), driver: 'unifi-classic', address: console.url }
    const stored = { ...controller, credentials: { username, password }, ...(certificatePin && { certificatePin }) }
    return (await addController({ db: app.db, keyring: testKeyring, drivers: testDrivers }, testActor, stored)).id
  }

  test('is tested with its stored credentials and the session of the service', async () => {
    const controller_id = await record()
    for (let i = 0; i < 3; i++) expect((await check({ controller_id })).ok).toBe(true)

    expect(await console.signIns()).toHaveLength(1)
  })

  test('at another address or with another certificate the stored credentials are not sent', async () => {
    const other = await startSimulator('--https')
    const controller_id = await record()
    const moved = { controller_id, address: other.url, certificate_pin: other.fingerprint }

    for (const body of [moved, { controller_id: await record('AB'.repeat(32)), certificate_pin: console.fingerprint }])
      expect(await outcomeOf(body)).toMatchObject({
        results: 'ok ok ok skipped skipped skipped',
        cause: 'credentials_not_reused',
      })
    expect([...(await other.requests()), ...(await console.requests())]).toEqual([])
  })

  test('a new password is tried with the stored user name; the stored one stays', async () => {
    const controller_id = await record()

    expect(await outcomeOf({ controller_id, secret: 'wrong' })).toMatchObject({ cause: 'credentials_refused' })
    expect((await check({ controller_id, secret: console.login.password })).ok).toBe(true)
    expect((await check({ controller_id })).ok).toBe(true)
  })
})

test('the sentence is in the language of the request', async () => {
  const { message } = await outcomeOf({ ...withKey, address: 'https://controller.invalid' }, 'de')

  expect(message).toMatch(/^Für controller\.invalid wurde keine Adresse gefunden/)
})

test('400 without driver or address, with an unreadable address, or with a driver for a recorded controller', async () => {
  const { key } = await seedKey(app.db, { scope: 'manage' })
  const fieldOf = async (body: object) => {
    const answer = await app.call('/api/v2/controllers/check', { method: 'POST', key, body: JSON.stringify(body) })
    return [answer.status, answer.json().errors?.[0]?.field]
  }

  expect(await fieldOf({ address: console.url })).toEqual([400, 'driver'])
  expect(await fieldOf({ driver: 'unifi-classic' })).toEqual([400, 'address'])
  expect(await fieldOf({ driver: 'unifi-classic', address: '192.168.1.1' })).toEqual([400, 'address'])
  expect(await fieldOf({ driver: 'nothing', address: console.url })).toEqual([400, 'driver'])
  expect(await fieldOf({ controller_id: uuidv7(), driver: 'unifi-classic' })).toEqual([400, 'driver'])
  expect((await fieldOf({ controller_id: uuidv7() }))[0]).toBe(404)
})
