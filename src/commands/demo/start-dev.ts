import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ensureDatabase } from '#db/create-database.ts'
import { listControllers } from '#domain/controllers/controllers.queries.ts'
import { importKey } from '#domain/keys/administer-keys.ts'
import { sha256Of } from '#domain/keys/key.ts'
import { setController } from '#domain/sites/set-controller.ts'
import { drivers } from '#drivers/registry.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { loadConfig, loadDatabaseServer, replaceSettings } from '../../config.ts'
import { type Context, createContext } from '../../context.ts'
import { migrateAll } from '../migrate.ts'
import { type Part, type Running, stopOnSignal } from '../service/stop-on-signal.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'
import { seedSites, seedVouchers } from './seed-demo.ts'
import { type DemoController, startControllers } from './start-controllers.ts'

const root = new URL('../../..', import.meta.url)
const program = fileURLToPath(new URL('bin/voucher-service.js', root))

/** Both keys are public. The database contains only simulated data, and the service listens on this machine only. */
const apiKey = 'dev_00000000-for-development-only'
const encryptionKeys = `dev:${Buffer.alloc(32, 'development').toString('base64')}`

/**
 * Runs `voucher-service start` and restarts it when one of its source files changes. The database stays, and the simulated
 * controllers run on during a restart, so that the service finds everything as it left it.
 */
export async function startDev(
  { env, stderr }: Terminal,
  { port, webPort, database }: { port?: number; webPort: number; database: string },
): Promise<void> {
  const serverUrl = loadDatabaseServer(env)
  const settings = {
    ENCRYPTION_KEYS: encryptionKeys,
    LISTEN_ADDRESS: '127.0.0.1',
    ...(port !== undefined && { PORT: String(port) }),
    DRAIN_SECONDS: '0',
    DATABASE_URL: serverUrl,
  }
  loadConfig(replaceSettings(env, settings)) // reports problems before anything is made
  const devEnv = replaceSettings(env, { ...settings, DATABASE_URL: await ensureDatabase(serverUrl, database) })
  const config = loadConfig(devEnv)
  const ctx = createContext(config, 'api', { logTo: 2 })
  const running = stopOnSignal(ctx.log, config.shutdownSeconds * 1000)
  try {
    const [controllers] = await Promise.all([startControllers(running), migrateAll(config)])
    await prepareData(ctx, controllers).finally(ctx.close)
    if (running.isStopping()) return
    const url = `http://127.0.0.1:${config.port}`
    const web = await startWebServer(url, webPort)
    await running.add(web)
    stderr.write(describe({ url, webUrl: web.url, database, controllers }))
    await running.add(watchService(devEnv, running))
  } catch (error) {
    await running.stopAfter(error)
  }
}

/** Seeds a new database. In an existing one, points the controllers to the simulators of this run. */
async function prepareData(ctx: Context, controllers: DemoController[]): Promise<void> {
  await ctx.start()
  if ((await listControllers(ctx.db)).length === 0) {
    const { sites } = await seedSites(ctx, controllers)
    const request = { name: 'Development', scope: 'write' as const, rateLimit: 0, siteIds: undefined, expiresAt: null }
    const known = { prefix: apiKey.slice(0, 12), sha256: sha256Of(apiKey) }
    await seedVouchers(ctx, await importKey(ctx.db, commandActor(), request, known), sites)
    return
  }
  for (const { name, credentials, simulator } of controllers) {
    const login = 'apiKey' in credentials ? { secret: credentials.apiKey } : toLogin(credentials)
    const certificatePin = parseFingerprint(simulator.fingerprint)
    const request = { address: simulator.url, certificatePin, ...login }
    await setController({ db: ctx.db, keyring: ctx.keyring, drivers }, commandActor(), name, request)
  }
}

function toLogin({ username, password }: { username: string; password: string }) {
  return { username, secret: password }
}

/**
 * Runs the service under `node --watch`, which restarts it when a loaded file changes. When Node ends, all parts stop.
 */
function watchService(env: NodeJS.ProcessEnv, running: Running): Part {
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', program, 'start'], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  child.once('exit', () => void running.stop())
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/**
 * Serves the web app from its sources, with hot reload, and passes requests for the API on to the service. The service sees
 * the Host of the browser, so the page and the API have the same origin.
 */
async function startWebServer(apiUrl: string, port: number): Promise<Part & { url: string }> {
  const { createServer } = await import('vite')
  const proxied = { target: apiUrl, changeOrigin: false }
  const server = await createServer({
    configFile: fileURLToPath(new URL('web/vite.config.ts', root)),
    logLevel: 'warn',
    server: { host: '127.0.0.1', port, proxy: { '/api': proxied, '/reference': proxied, '/house-logo': proxied } },
    plugins: [
      {
        name: 'house-colors',
        transformIndexHtml: async (page) => page.replace('</head>', `${await findHouseColors(apiUrl)}</head>`),
      },
    ],
  })
  await server.listen()
  return { url: server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '', stop: () => server.close() }
}

/** The colours of the house, as the page of the service has them. Empty while the service starts, or if its web app was never built. */
async function findHouseColors(apiUrl: string): Promise<string> {
  const page = await fetch(`${apiUrl}/sign-in`).then(
    (answer) => answer.text(),
    () => '',
  )
  return /<style id="house-colors">.*?<\/style>/s.exec(page)?.[0] ?? ''
}

type Described = { url: string; webUrl: string; database: string; controllers: DemoController[] }

function describe({ url, webUrl, database, controllers }: Described) {
  const simulators = [...new Set(controllers.map(({ simulator }) => simulator.url))]
  return `
Open the web app at ${webUrl}. It shows your changes at once.
The service runs at ${url} and restarts when you change its sources.
Ctrl-C stops it. Its database ${database} stays; the simulated controllers start empty the next time.

  curl -H 'X-API-Key: ${apiKey}' ${url}/api/sites.php
  curl -H 'X-API-Key: ${apiKey}' -d '{"site_id":1,"name":"First guest"}' ${url}/api/vouchers.php

Reference of API v2: ${url}/reference
Simulated controllers, see simulator/README.md:
${simulators.map((simulator) => `  curl -k ${simulator}/control/vouchers`).join('\n')}

`
}
