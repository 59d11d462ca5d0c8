import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { openSocket } from '#test/network/sockets.ts'
import { spawnCommand, startService } from '#test/service.ts'

const db = await createTestDatabase()
const createKey = async (name: string) =>
  (await runCommand(db.url, ['keys', 'create', '--name', name, '--scope', 'read', '--limit', '1000', '--json'])).json()

/** Locks a table: each connection of the service stops at its first statement that uses the table, until `release`. */
async function lockTable(table: string) {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lock = db.transaction(async (tx) => {
    await tx.query(`lock table ${table} in access exclusive mode`)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  return {
    countWaiting: async () =>
      (await db.query('select from pg_locks where relation = $1::regclass and not granted', [table])).rowCount,
    async release() {
      released.resolve()
      await lock
    },
  }
}

test('`api` rejects an empty database and says what to do; `start` migrates it', async () => {
  const name = `voucher_empty_${process.pid}`
  const url = databaseUrl(name)
  await queryServer(`create database ${name}`)
  try {
    const refused = await spawnCommand(url, ['api'])
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
    await queryServer(`drop database ${name} with (force)`)
  }
})

test('a process whose role may open too few connections says so when it starts', async () => {
  const name = `voucher_limited_${process.pid}`
  const url = Object.assign(new URL(databaseUrl(name)), { username: name }).href
  await queryServer(`create role ${name} login connection limit 20`)
  await queryServer(`create database ${name} owner ${name}`)
  try {
    const service = await startService(url, {}, 'start')
    await service.stop()
    const worker = await startService(url, {}, 'worker')
    await worker.stop()

    const warning = `One process may open 27 connections, but the role \\"${name}\\" may open 20. Lower DATABASE_POOL_SIZE`
    expect(service.log.join()).toContain(warning)
    expect(worker.log.join()).not.toContain('One process may open') // a worker needs 16
  } finally {
    await queryServer(`drop database ${name} with (force)`)
    await queryServer(`drop role ${name}`)
  }
})

test('`worker` runs alone and stops on SIGTERM', async () => {
  const worker = await startService(db.url, {}, 'worker')

  expect(await worker.stop()).toBe(0)
})

test('without Redis, an api writes one line in the first minute, and a worker none', async () => {
  const lost = { REDIS_URL: 'redis://127.0.0.1:1' }
  const [api, worker] = [await startService(db.url, lost), await startService(db.url, lost, 'worker')]
  await wait(3_000) // each process tries to connect several times

  const linesOf = ({ log }: { log: string[] }) => log.filter((line) => line.includes('Redis'))
  expect(linesOf(api)).toEqual([expect.stringContaining('ECONNREFUSED')])
  expect(linesOf(api)[0]).not.toContain('stack')
  expect(linesOf(worker)).toEqual([])
  await Promise.all([api.stop(), worker.stop()])
})

test('SIGTERM: requests under way are answered, key usage is written, the exit code is 0', async () => {
  const { key, id } = await createKey('Drain')
  const service = await startService(db.url)
  const sites = () => call(`${service.url}/api/sites.php`, { headers: { 'x-api-key': key } })
  const lock = await lockTable('sites')
  const underWay = Array.from({ length: 8 }, sites)
  await expect.poll(lock.countWaiting).toBe(underWay.length)

  const exit = service.stop()
  await wait(300)
  const late = await sites().catch((error) => error.code)
  await lock.release()

  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(underWay.map(() => 200))
  expect(late).toBe('ECONNREFUSED')
  expect(await exit).toBe(0)
  const { rows } = await db.query('select requests::integer from api_key_days where api_key_id = $1', [id])
  expect(rows).toEqual([{ requests: 8 }])
})

test('SIGTERM: the time for requests under way begins after DRAIN_SECONDS', async () => {
  const service = await startService(db.url, { DRAIN_SECONDS: '5', SHUTDOWN_SECONDS: '4' })

  expect(await service.stop()).toBe(0)
})

test('SIGTERM: a silent connection does not delay the exit', async () => {
  const service = await startService(db.url)
  const silent = openSocket(service.url)
  await once(silent, 'connect')
  const begin = performance.now()

  expect(await service.stop()).toBe(0)
  expect(performance.now() - begin).toBeLessThan(timeLimit(2_000))
})

test('SIGTERM and SIGINT together stop the process once and in order', async () => {
  const service = await startService(db.url)
  service.process.kill('SIGINT')

  expect(await service.stop()).toBe(0)
  expect(service.log.join()).not.toContain('stopping failed')
})

test.each([
  { command: 'start', table: 'webhooks', moment: 'before the first part starts' },
  { command: 'worker', table: 'pgboss.queue', moment: 'while the queue starts' },
  { command: 'start', table: 'staff', moment: 'while the API starts' },
])('SIGTERM $moment stops the process in order', async ({ command, table }) => {
  const lock = await lockTable(table)
  const stopAfter = vi.waitFor(async () => expect(await lock.countWaiting()).toBeGreaterThan(0), 20_000)
  const run = spawnCommand(db.url, [command], { stopAfter })
  await stopAfter
  await lock.release()
  const { exitCode, stderr } = await run

  expect([exitCode, stderr]).toEqual([0, ''])
})

const inUse = 'a port in use ends the process with one line and exit code 1, and the log does not say that it runs'

test(inUse, { timeout: 60_000 }, async () => {
  const service = await startService(db.url)
  const env = { PORT: new URL(service.url).port, LOG_LEVEL: 'info' }

  const { exitCode, stderr, stdout } = await spawnCommand(db.url, ['start'], { env })

  expect(stdout).not.toMatch(/worker is running|listening/i)
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^voucher-service: Cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Another program .*\n$/),
  ])
})

test('a log line contains the prefix of the key and the id of the client, but no secret and no query', async () => {
  const { key } = await createKey('Log')
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
