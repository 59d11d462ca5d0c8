import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { queryServer } from '#test/data/template-database.ts'
import { testKeyring } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'
import { keepsPreparedStatements, startPgBouncer } from './start-pgbouncer.ts'

const poolSize = 5
const role = await addRole(readRoleSettings())
const impatientRole = await addRole({ statement_timeout: "'1ms'" })
const roleWithoutSettings = await addRole({})
const db = await createTestDatabase()
await changeDatabase({
  DateStyle: "'German'",
  TimeZone: "'America/Santiago'",
  array_nulls: 'off',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
})
const directUrl = urlFor(role)
const pooledUrl = await startPgBouncer(directUrl, poolSize)

/** The settings that docs/scaling.md says to set for the role, because PgBouncer does not pass them on. */
function readRoleSettings(): Record<string, string> {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  const statements = page.matchAll(/^ +alter role vouchers set (\w+) = (.+);$/gm)
  return Object.fromEntries([...statements].map(([, name = '', value = '']) => [name, value]))
}

async function addRole(settings: Record<string, string>): Promise<string> {
  const name = `pooled_${randomBytes(6).toString('hex')}`
  await queryServer(`create role ${name} superuser login`)
  for (const [setting, value] of Object.entries(settings))
    await queryServer(`alter role ${name} set ${setting} = ${value}`)
  onFileEnd(() => queryServer(`drop role ${name}`))
  return name
}

/** Sets values for the database, which those of a role override. */
async function changeDatabase(settings: Record<string, string>): Promise<void> {
  const name = new URL(db.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(settings))
    await queryServer(`alter database ${name} set ${setting} = ${value}`)
}

function urlFor(name: string): string {
  const url = new URL(db.url)
  url.username = name
  return url.href
}

test('through PgBouncer in transaction mode: 20 clients create and list, and notifications arrive', async () => {
  const [simulator, sink] = await Promise.all([startSimulator(), startWebhookSink()])
  const site = await seedControlledSite(db, simulator)
  const { key } = await seedKey(db, { scope: 'write', rateLimit: 0 })
  await addWebhook({ db, keyring: testKeyring }, testActor, {
    name: 'sink',
    format: 'generic',
    url: sink.url,
    siteIds: [site],
  })
  const env = {
    DATABASE_DIRECT_URL: directUrl,
    DATABASE_PREPARED_STATEMENTS: String(keepsPreparedStatements()),
    DATABASE_POOL_SIZE: '20',
  }
  const { url } = await startService(pooledUrl, env, 'start')
  const path = `${url}/api/vouchers.php`
  const headers = { 'x-api-key': key }
  /** Repeats while nothing was created: on a slow machine, 20 creations can be too many for one controller. */
  const create = async (name: string, attempts = 5): ReturnType<typeof call> => {
    const answer = await call(path, { method: 'POST', headers, body: JSON.stringify({ site_id: site, name }) })
    const isBusy = answer.status === 500 && answer.headers['voucher-outcome'] === 'none'
    return isBusy && attempts > 1 ? create(name, attempts - 1) : answer
  }
  const names = Array.from({ length: 20 }, (_, i) => `Guest ${i}`)

  const created = await Promise.all(names.map((name) => create(name)))
  const lists = await Promise.all(names.map(() => call(`${path}?site_id=${site}`, { headers })))

  expect(created.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual(names.map(() => 201))
  expect(lists.map((list) => [list.status, list.json().vouchers.length])).toEqual(names.map(() => [200, names.length]))
  await vi.waitFor(() => expect(sink.received).toHaveLength(names.length), { timeout: 20_000 })
  expect(await countConnections()).toEqual({ pooled: poolSize, isListening: true })
})

/** Counts the connections of the service except those of its queue. Also says whether a worker holds the lock to listen. */
async function countConnections(): Promise<object> {
  const { rows } = await db.query<{ queue: boolean }>(
    `select application_name = 'voucher-service queue' as queue from pg_stat_activity
      where datname = current_database() and usename = $1`,
    [role],
  )
  const { rows: locks } = await db.query(
    `select from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and a.application_name = 'voucher-service queue' and a.datname = current_database()`,
  )
  return { pooled: rows.filter(({ queue }) => !queue).length, isListening: locks.length === 1 }
}

test('timeouts of the role hold for pooled connections, and not for migrations', async () => {
  const pooled = connectDatabase({
    ...{ url: pooledUrl, poolSize: 1, preparedStatements: keepsPreparedStatements() },
    ...{ settings: { jit: 'off' }, onError: () => {} },
  })
  onFileEnd(() => pooled.close())
  const { rows } = await pooled.query(`select current_setting('statement_timeout') as timeout`)
  await db.query(`drop schema pgboss cascade`)

  const { exitCode, stderr } = await runCommand(pooledUrl, ['migrate'], {
    env: { DATABASE_DIRECT_URL: urlFor(impatientRole) },
  })

  expect(rows).toEqual([{ timeout: '4500ms' }])
  expect([exitCode, stderr]).toEqual([0, ''])
})

test('the service does not start if the role lacks the settings, and the doctor names each one', async () => {
  const url = await startPgBouncer(urlFor(roleWithoutSettings), 1)
  const env = { DATABASE_DIRECT_URL: directUrl, DATABASE_PREPARED_STATEMENTS: String(keepsPreparedStatements()) }

  const examined = await runCommand(url, ['doctor', '--json', '--no-controllers'], { env })
  const started = await runCommand(url, ['api'], { env })

  const problem = (name: string, value: string, needed: string) => ({
    check: 'database',
    result: 'problem',
    message: `Connections through DATABASE_URL have ${name} = ${value}, but the service needs ${needed}.`,
    fix: `The pooler does not pass on the setting of the service, so set it for the role: alter role "${roleWithoutSettings}" set ${name} = '${needed}'. Then restart the pooler.`,
  })
  const first = problem('array_nulls', 'off', 'on')
  expect(examined.json().filter(({ result }: { result: string }) => result === 'problem')).toEqual([
    first,
    problem('default_transaction_isolation', 'serializable', 'read committed'),
  ])
  expect(started).toMatchObject({ exitCode: 1, stderr: `voucher-service: ${first.message} ${first.fix}\n` })
})
