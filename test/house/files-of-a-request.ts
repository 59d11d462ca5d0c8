import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '#config.ts'
import { createContext } from '#context.ts'
import { createTemporaryDatabase } from '#db/create-database.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { createKey } from '#domain/keys/administer-keys.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { drivers } from '#drivers/registry.ts'
import { serve } from '#http/server/server.ts'
import { testEnvironment, testKeyring } from '#test/environment.ts'
import { startSimulator } from '../../simulator/start-simulator.ts'
import { migrateAll } from '../../src/commands/migrate.ts'

/**
 * Prints the files of `src` in which a function ran between a `POST /api/vouchers.php` and its answer. The argument is the URL of a
 * PostgreSQL server on which it may create a database.
 */
const [serverUrl = ''] = process.argv.slice(2)
const src = fileURLToPath(new URL('../../src/', import.meta.url))
const actor = { kind: 'command', name: 'test' } as const

const own = await createTemporaryDatabase(serverUrl, 'trace')
await migrateAll({ databaseUrl: own.url })
const simulator = await startSimulator()
const ctx = createContext(loadConfig(testEnvironment(own.url)), 'api')
await ctx.clock.start()
const { db, config } = ctx
const credentials = { apiKey: simulator.apiKey }
const controller = { name: 'c', driver: 'unifi-integration', address: simulator.url, credentials }
await addController({ db, keyring: testKeyring, drivers }, actor, controller)
const site = await addSite(db, actor, { name: 's', controller: 'c', controllerSite: 'default', active: true })
const wanted = { name: 'k', scope: 'write', rateLimit: 600, siteIds: undefined, expiresAt: null } as const
const { key } = await createKey(db, actor, wanted)
const server = await serve(
  { ...ctx, ...config },
  { port: 0, address: '127.0.0.1', health: { readiness: async () => ({ status: 'ready' }) } },
)

async function create(): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/vouchers.php`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ site_id: site.id, name: 'Gast' }),
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
}

await create() // connects, signs in
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await create()
const { result } = await session.post('Profiler.takePreciseCoverage')
const files = result
  .filter(({ url }) => url.startsWith(`file://${src}`))
  .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]?.count))
  .map(({ url }) => url.slice(`file://${src}`.length))
process.stdout.write(`${files.toSorted().join('\n')}\n`)

await server.stop()
await ctx.close()
await simulator.close()
await own.drop()
