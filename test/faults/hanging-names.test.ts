import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { processEnvironment, testEnvironment, testKeyring } from '#test/environment.ts'
import { range } from '#test/load.ts'
import { report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startNameServer } from '#test/network/name-server.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program } from '#test/service.ts'

/** As many hosts of webhooks whose name server does not answer. A lookup of such a name takes 10 s. */
const hangingNames = 6
const creations = 30
/** Much shorter than one lookup that hangs. */
const boundMs = 3_000

const named = (url: string, host: string) => url.replace('127.0.0.1', host)

test.runIf(process.getuid?.() === 0)(
  'names of webhooks that hang do not delay the database, controllers and other webhooks',
  async () => {
    const names = await startNameServer()
    const db = await createTestDatabase()
    const [simulator, sink, port] = [await startSimulator(), await startWebhookSink(), await freePort()]
    const site = await seedControlledSite(db, { ...simulator, url: named(simulator.url, 'controller.test') })
    const { key } = await seedKey(db, { scope: 'write' })
    const subscribe = (url: string) =>
      addWebhook({ db, keyring: testKeyring }, testActor, {
        name: uuidv7(),
        format: 'generic',
        url,
        siteIds: undefined,
      })
    await subscribe(named(sink.url, 'sink.test'))
    // As in a container, where the database has a name.
    await startNamed(names.resolvConf, { ...testEnvironment(named(db.url, 'db.test'), { PORT: String(port) }) })
    const create = async (name: string) => {
      const startedAt = performance.now()
      const body = JSON.stringify({ site_id: site, name })
      const headers = { authorization: `Bearer ${key}` }
      const answer = await call(`http://127.0.0.1:${port}/api/v2/vouchers`, { method: 'POST', headers, body })
      return { name, status: answer.status, ms: Math.round(performance.now() - startedAt) }
    }
    await expect.poll(() => create('first').then(({ status }) => status)).toBe(201)
    for (const number of range(hangingNames)) await subscribe(`http://hanging-${number}.test:9/hook`)

    const created = []
    for (const number of range(creations)) {
      created.push(await create(`Gast ${number}`))
      // As a restart of PostgreSQL does: all connections must be opened again.
      if (number % 10 === 5)
        await db.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        )
      await pause(500)
    }
    await pause(boundMs)
    const times = created.map(({ ms }) => ms)
    report('creations, the slowest in ms, notifications, lookups of names that hang', [
      creations,
      Math.max(...times),
      sink.received.length,
      [...names.asked].filter(([name]) => name.includes('hanging')).reduce((sum, [, count]) => sum + count, 0),
    ])
    expect(created.filter(({ status, ms }) => status !== 201 || ms > boundMs)).toEqual([])
    expect(sink.received.length).toBeGreaterThanOrEqual(creations)
  },
)

/** Starts an api and a worker in one process, which resolves names with this `resolv.conf`. */
async function startNamed(resolvConf: string, env: Record<string, string>): Promise<void> {
  const script = `mount --bind '${resolvConf}' /etc/resolv.conf && exec '${process.execPath}' '${program}' start`
  const child = spawn('unshare', ['--mount', 'sh', '-c', script], {
    env: { ...processEnvironment, ...env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (process.env['SHOW_LOG']) process.stderr.write(`${line}\n`)
    if (line.includes('listening on')) resolve()
  })
  await Promise.race([
    promise,
    ended.then(() => Promise.reject(new Error('No namespace could be made. This test needs root'))),
  ])
}
