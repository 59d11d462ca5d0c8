import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { freePort } from '#test/data/local-servers.ts'
import { queryServer, serverUrl } from '#test/data/template-database.ts'
import { isLong, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program, startDemo as startDemoProcess } from '#test/service.ts'

/** Owns the databases of these demos, so that other demos on the same server do not count. */
const owner = `demo_${process.pid}`
await queryServer(`create role ${owner} login createdb`)
onFileEnd(() => queryServer(`drop role ${owner}`))
const demoUrl = Object.assign(new URL(serverUrl), { username: owner }).href

const startDemo = (...options: string[]) => startDemoProcess({ databaseUrl: demoUrl, options })

async function demoDatabases(): Promise<string[]> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  const { rows } = await client.query(`select datname from pg_database where datdba = to_regrole($1) order by 1`, [
    owner,
  ])
  await client.end()
  return rows.map(({ datname }) => datname)
}

// A demo takes seconds to start, so the tests share one, and the last of them ends it.
const full = await startDemo()

test('the demo is ready soon and prints one line of JSON with facts that hold', async () => {
  const { facts, words, readyAfterMs } = full
  report('demo ready after ms', readyAfterMs)
  const { url, base_url, keys, sites, inactive_site, controller, controllers, ready } = facts

  expect(ready).toBe(true)
  expect(readyAfterMs).toBeLessThan(isLong ? 10_000 : 60_000) // in CI others use the processors too
  expect([base_url, sites, inactive_site]).toEqual([`${url}/api`, [1, 2, 3], 4])
  expect(await demoDatabases()).toHaveLength(1)

  const names = (await call(`${base_url}/sites.php`, { headers: { 'x-api-key': keys.read } })).json().sites
  const list = await call(`${base_url}/vouchers.php?site_id=1`, { headers: { 'x-api-key': keys.read } })
  const post = (site_id: number, key: string) =>
    call(`${base_url}/vouchers.php`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ site_id, name: 'x' }),
    })
  expect(names.map((site: any) => site.name)).toEqual(['Hauptgebäude', 'Nebengebäude', 'Seminarhaus'])
  expect(list.json().vouchers.length).toBeGreaterThan(0)
  expect(list.headers['ratelimit-policy']).toBe('"per-key";q=10000;w=60')
  expect((await post(2, keys.read)).status).toBe(403)
  expect((await post(4, keys.write)).status).toBe(404)
  expect(controllers.map(({ site, kind }: any) => [site, kind])).toEqual([
    [1, 'console-api-key'],
    [2, 'console-login'],
    [3, 'self-hosted-login'],
  ])
  expect(controller).toBe(controllers[0].url)
  for (const { site, url: at } of controllers) {
    const made = await post(site, keys.write)
    const held = await call(`${at}/control/vouchers`, { trustAnyone: true })
    expect([made.status, held.text]).toEqual([201, expect.stringContaining(made.json().code)])
    expect(words()).toMatch(new RegExp(`\\n  site ${site}, \\S+, at ${at}: `))
  }
  expect(words()).toContain(`curl -H 'X-API-Key: ${keys.write}' -d`)
})

test('every command that the demo prints works; the last one makes one creation on its controller fail', async () => {
  const lines = full
    .words()
    .split('\n')
    .filter((line) => line.startsWith('  curl'))

  expect(lines).toHaveLength(7)
  for (const paste of lines) {
    const shell = spawn('bash', ['-c', `${paste} --silent --fail`])
    let printed = ''
    shell.stdout.on('data', (chunk) => (printed += chunk))
    expect(await once(shell, 'exit'), paste).toEqual([0, null])
    expect(JSON.parse(printed)).toBeTypeOf('object')
  }
  const { url, keys, sites } = full.facts
  const body = JSON.stringify({ site_id: sites.at(-1), name: 'x' })
  const broken = { method: 'POST', headers: { 'x-api-key': keys.write }, body }
  const [inTrouble, afterwards] = [
    await call(`${url}/api/vouchers.php`, broken),
    await call(`${url}/api/vouchers.php`, broken),
  ]
  expect([inTrouble.headers['voucher-outcome'], afterwards.status]).toEqual(['none', 201])
})

const post = (at: string, path: string, body: object) =>
  call(`${at}/api/v2${path}`, {
    method: 'POST',
    headers: { origin: at, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('the first page shows a hotel in operation: sixty days, reachable controllers, one failing webhook', async () => {
  const { url, sign_in, keys } = full.facts
  const session = await post(url, '/session', sign_in)
  const cookie = String(session.headers['set-cookie']).split(';')[0] as string
  const overview = (await call(`${url}/api/v2/overview?days=90`, { headers: { cookie } })).json()
  const webhooks = (await call(`${url}/api/v2/webhooks`, { headers: { 'x-api-key': keys.manage } })).json()

  expect(overview.time_zone).toBe('Europe/Berlin')
  expect(overview.days.filter(({ issued }: any) => issued > 0).length).toBeGreaterThanOrEqual(59)
  expect(overview.sites.wall.map(({ state }: any) => state)).toEqual([...Array(3).fill('reachable'), 'inactive'])
  expect(overview.attention.webhooks).toMatchObject([{ name: 'Door signs', disabled_at: null }])
  expect(overview.attention).toMatchObject({ controllers: [], keys: [], unrecorded: [] })
  expect(webhooks.webhooks.map(({ name }: any) => name)).toEqual(['Door signs', 'Hotel system'])
})

test('the sign-in of the demo works', async () => {
  const { url, sign_in } = full.facts

  expect((await post(url, '/session', sign_in)).json()).toMatchObject({ role: 'admin', email: sign_in.email })
  expect(full.words()).toContain(sign_in.password)
})

test('the demo leaves nothing behind after SIGTERM', async () => {
  const { url, controllers } = full.facts
  full.process.kill('SIGTERM')

  expect(await full.ended).toEqual([0, null])
  expect(await demoDatabases()).toEqual([])
  for (const { url: at } of controllers)
    await expect(call(`${at}/control/vouchers`, { trustAnyone: true })).rejects.toThrow('ECONNREFUSED')
  await expect(call(`${url}/healthz`)).rejects.toThrow('ECONNREFUSED')
})

test('an empty demo waits for its first administrator, and leaves no process behind when it is killed', async () => {
  const { process: demo, facts, words, ended } = await startDemo('--empty')
  const anna = { name: 'Anna', email: 'anna@example.com', password: 'four random words', language: 'de' }

  expect((await call(`${facts.url}/api/v2/session`)).json()).toMatchObject({ person: null, setup_open: true })
  expect(words()).toContain(facts.setup_token)
  expect((await post(facts.url, '/setup', { token: facts.setup_token, ...anna })).status).toBe(201)

  const left = await demoDatabases()
  demo.kill('SIGKILL')
  await ended
  await wait(500)
  for (const name of left) await queryServer(`drop database ${name} with (force)`)
  for (const { address } of facts.controllers)
    await expect(call(`${address}/control/vouchers`, { trustAnyone: true })).rejects.toThrow('ECONNREFUSED')
})

test.runIf(isLong)('PORT is the port of the demo, unless --port names another one', async () => {
  const port = await freePort()
  const demo = spawn(process.execPath, [program, 'demo', '--empty'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: demoUrl, PORT: String(port) },
  })
  const ended = once(demo, 'exit')
  const [line] = (await once(createInterface({ input: demo.stdout }), 'line')) as [string]
  demo.kill('SIGTERM')

  expect(JSON.parse(line).url).toBe(`http://127.0.0.1:${port}`)
  expect(await ended).toEqual([0, null])
})

test('the demo leaves no database after a wrong setting', async () => {
  const wrong = spawn(process.execPath, [program, 'demo'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: demoUrl, BASE_PATH: 'nope' },
  })

  expect(await once(wrong, 'exit')).toEqual([2, null])
  expect(await demoDatabases()).toEqual([])
})

test('the demo prints one line with exit code 1 when PostgreSQL is not running', async () => {
  const demo = spawn(process.execPath, [program, 'demo', '--port', '0'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
  })
  let words = ''
  demo.stderr.on('data', (chunk) => (words += chunk))

  expect(await once(demo, 'close')).toEqual([1, null])
  expect(words).toMatch(/^voucher-service: PostgreSQL cannot be reached at .* \(ECONNREFUSED\)\..*\n$/)
  expect(words).not.toContain('hunter2')
})
