import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { call } from '#test/http-client.ts'
import { openSocket } from '#test/raw-socket.ts'
import { runCommand, startService } from '#test/service.ts'
import { timeLimit } from '#test/size.ts'
import { databaseUrl, onServer } from '#test/template-database.ts'

const db = await createTestDatabase()
const run = (args: string, options: Parameters<typeof runCommand>[2] = {}) =>
  runCommand(db.url, args.split(' ').filter(Boolean), options)

test('from nothing to a listed site, by commands alone', async () => {
  const controller = await run(
    '--json controllers add --name c1 --driver unifi-integration --address https://10.0.0.1 --secret-file -',
    { stdin: 'hunter2\n' },
  )
  const site = await run('sites add --name Haus --controller c1 --json')
  const key = await run('keys create --name Desk --scope read --json')
  const service = await startService(db.url)

  const answer = await call(`${service.url}/api/sites.php`, { headers: { 'x-api-key': key.json().key } })

  expect([controller.exitCode, site.exitCode, key.exitCode]).toEqual([0, 0, 0])
  expect(controller.stdout).not.toContain('hunter2')
  expect(key.json()).toMatchObject({ name: 'Desk', scope: 'read', rate_limit: 600, all_sites: true })
  expect(answer.json().sites).toEqual([{ id: site.json().id, site_id: site.json().id, name: 'Haus', active: true }])
})

test('lists for people are tables, lists for programs are JSON', async () => {
  const table = await run('sites list')
  const json = await run('sites list --json')

  expect(table.stdout).toMatch(
    /^id +name +active +controller +controller_site +adopts_vouchers +tags_names +unrecorded +created_at\n\d+ +Haus +true +c1 +default +false +false +0/,
  )
  expect(json.json()).toMatchObject([{ name: 'Haus', active: true, controller_site: 'default' }])
})

test('a site is deactivated and activated', async () => {
  const [{ id }] = (await run('sites list --json')).json()

  expect((await run(`sites deactivate ${id} --json`)).json()).toMatchObject({ id, active: false })
  expect((await run(`sites activate ${id} --json`)).json()).toMatchObject({ id, active: true })
})

test('a key is imported, listed and revoked', async () => {
  const imported = await run(
    `keys import --name Old --scope read --limit 0 --prefix abc_12345678 --sha256 ${'a'.repeat(64)} --json`,
  )
  const revoked = await run('keys revoke abc_12345678 --json')
  const listed = (await run('keys list --json')).json()

  expect(imported.json()).toMatchObject({ prefix: 'abc_12345678', rate_limit: 0 })
  expect(revoked.json().revoked_at).toEqual(expect.any(String))
  expect(listed.at(-1)).toMatchObject({ name: 'Old', revoked_at: revoked.json().revoked_at })
})

test.each([
  ['', 'Usage: voucher-service'],
  ['brew', "unknown command 'brew'"],
  ['keys', 'Usage: voucher-service keys'],
  ['keys create --name x', "required option '--scope <scope>' not specified"],
  ['keys create --name x --scope admin', 'Allowed choices are read, write'],
  ['keys create --name x --scope read --limit 100001', 'It must be a whole number from 0 to 100000.'],
  ['keys create --name x --scope read --expires 2001-01-01', 'It must be a time to come'],
  ['keys create --name x --scope read --expires 2127-01-31T12:00', 'It must be a time to come'],
  ['keys import --name x --scope read --prefix abc_12345678 --sha256 xyz', 'It must be 64 hexadecimal digits.'],
  ['sites activate 0', 'It must be a whole number from 1 to 2147483647.'],
  [
    'controllers add --name x --driver fax --address https://x --secret-file -',
    'Allowed choices are unifi-integration',
  ],
])('exit code 2, wrong usage: %j', async (args, message) => {
  const { exitCode, stderr } = await run(args)

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  ['keys revoke vsk_unknown0', 'No key has the prefix or id vsk_unknown0.'],
  ['sites add --name x --controller none', 'No controller is called "none".'],
  ['sites activate 999', 'No site has the id 999.'],
  ['keys create --name x --scope read --site 999', 'No site has the id 999.'],
  [
    'controllers add --name x --driver unifi-integration --address https://x --username u --secret-file -',
    'unifi-integration takes no --username.',
  ],
  [
    'controllers add --name x --driver unifi-integration --address https://x --secret-file -',
    'Standard input holds no secret.',
  ],
  [
    'controllers add --name x --driver unifi-integration --address https://x --secret-file /none',
    'cannot be read from /none (ENOENT)',
  ],
])('exit code 1, refused in one sentence: %s', async (args, message) => {
  const { exitCode, stderr, stdout } = await run(args)

  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^voucher-service: .+\n$/)
  expect(stderr).toContain(message)
})

test('exit code 1 when PostgreSQL is out of reach, without its password', async () => {
  const { exitCode, stderr } = await runCommand('postgres://u:hunter2@127.0.0.1:1/x', ['sites', 'list'])

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('PostgreSQL is out of reach')])
  expect(stderr).not.toContain('hunter2')
})

test('exit code 2 with all problems of the settings', async () => {
  const { exitCode, stderr } = await run('api', { env: { PORT: 'x', ENCRYPTION_KEYS: '' } })

  expect(exitCode).toBe(2)
  expect(stderr).toMatch(/PORT[\s\S]*ENCRYPTION_KEYS/)
})

test.each(['--help', 'keys --help', 'keys create --help', 'secrets --help'])(
  '%s exits 0 and says what there is',
  async (args) => {
    const { exitCode, stdout } = await run(args)

    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Usage: voucher-service')])
  },
)

test('simulator: its own help, and a controller that ends with the command', async () => {
  const help = await run('simulator --help')
  const { exitCode, stdout } = await run('simulator --site here=Here', { killAfterMs: 6_000 })
  const { url, sites } = JSON.parse(stdout)

  expect([help.exitCode, help.stdout]).toEqual([0, expect.stringContaining('--flavour NAME')])
  expect(exitCode).toBe(0)
  expect(sites).toMatchObject([{ internalReference: 'here', name: 'Here' }])
  await expect(call(`${url}/control/vouchers`)).rejects.toThrow('ECONNREFUSED')
})

test('secrets generate prints an entry that the service starts with', async () => {
  const { stdout } = await run('secrets generate', { env: { ENCRYPTION_KEYS: '' } })

  expect((await run('sites list', { env: { ENCRYPTION_KEYS: stdout.trim() } })).exitCode).toBe(0)
})

test('api refuses an empty database and says what to do; start migrates it', async () => {
  const name = `voucher_empty_${process.pid}`
  const url = databaseUrl(name)
  await onServer(`create database ${name}`)
  try {
    const refused = await runCommand(url, ['api'])
    const service = await startService(url, {}, 'start')
    const ready = await call(`${service.url}/readyz`)
    const migrated = await runCommand(url, ['migrate', '--json'])

    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Run `voucher-service migrate` first.'),
    ])
    expect([ready.status, ready.json()]).toEqual([200, { status: 'ready' }])
    expect(service.log.join()).toContain('worker is running')
    expect(migrated.json()).toEqual({ applied: [] })
    expect(await service.stop()).toBe(0)
  } finally {
    await onServer(`drop database ${name} with (force)`)
  }
})

test('a worker alone runs and ends by SIGTERM', async () => {
  const worker = await startService(db.url, {}, 'worker')

  expect(await worker.stop()).toBe(0)
})

test('SIGTERM: what is under way is answered, the usage is written, the exit code is 0', async () => {
  const { key, id } = (await run('keys create --name Drain --scope read --limit 1000 --json')).json()
  const service = await startService(db.url)
  const sites = () => call(`${service.url}/api/sites.php`, { headers: { 'x-api-key': key } })
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const lock = db.transaction(async (tx) => {
    await tx.query('lock table sites in access exclusive mode')
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const underWay = Array.from({ length: 8 }, sites)
  await wait(300)

  const exit = service.stop()
  await wait(300)
  const late = await sites().catch((error) => error.code)
  released.resolve()
  await lock

  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(underWay.map(() => 200))
  expect(late).toBe('ECONNREFUSED')
  expect(await exit).toBe(0)
  const { rows } = await db.query('select requests::integer from api_key_days where api_key_id = $1', [id])
  expect(rows).toEqual([{ requests: 8 }])
})

test('SIGTERM: a connection that never said a word keeps nobody waiting', async () => {
  const service = await startService(db.url)
  const silent = openSocket(service.url)
  await once(silent, 'connect')
  const begin = performance.now()

  expect(await service.stop()).toBe(0)
  expect(performance.now() - begin).toBeLessThan(timeLimit(2_000))
})

test('SIGTERM and SIGINT together, or while it starts: one orderly end', async () => {
  const service = await startService(db.url)
  service.process.kill('SIGINT')
  expect(await service.stop()).toBe(0)
  expect(service.log.join()).not.toContain('stopping failed')

  for (const afterMs of [300, 400, 500, 600]) {
    const starting = runCommand(db.url, ['start'], { killAfterMs: afterMs })
    const { exitCode, stderr } = await starting
    expect([null, 0]).toContain(exitCode) // null: it was too early for any handler
    expect(stderr).toBe('')
  }
})

test('a port in use: one sentence, exit code 1, and the process ends', async () => {
  const service = await startService(db.url)

  const { exitCode, stderr } = await run('start', { env: { PORT: new URL(service.url).port } })

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^voucher-service: Cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\.\n$/),
  ])
})

test('a log line tells the key by its prefix and the client id, and holds no secret and no query', async () => {
  const { key } = (await run('keys create --name Log --scope read --json')).json()
  const service = await startService(db.url)
  await call(`${service.url}/api/sites.php?api_key=${key}`, {
    headers: { 'x-api-key': key, 'x-request-id': 'pms-4711' },
  })
  await wait(300)
  await service.stop()
  const line = service.log.find((entry) => entry.includes('sites.php'))

  expect(JSON.parse(line as string)).toMatchObject({
    method: 'GET',
    path: '/api/sites.php',
    status: 200,
    key: key.slice(0, 12),
    clientRequestId: 'pms-4711',
  })
  expect(service.log.join()).not.toContain(key)
})
