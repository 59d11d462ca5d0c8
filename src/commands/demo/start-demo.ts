import { randomBytes } from 'node:crypto'
import { createTemporaryDatabase } from '#db/create-database.ts'
import { randomBase62 } from '#domain/keys/key.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { loadConfig, loadDatabaseServer, replaceSettings } from '../../config.ts'
import { type Context, createContext } from '../../context.ts'
import { migrateAll } from '../migrate.ts'
import { startApi, startWork } from '../service/service.ts'
import { type Running, stopOnSignal } from '../service/stop-on-signal.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { receiveWebhooks } from './receive-webhooks.ts'
import { runHouse } from './run-house.ts'
import type { DemoSite } from './seed-demo.ts'
import { type House, seedHouse } from './seed-house.ts'
import { type DemoController, startControllers } from './start-controllers.ts'

type SignIn = { email: string; password: string }
type DemoData = House & { signIn: SignIn }

/**
 * Runs the whole service with its own database and simulated controllers. A signal stops it and removes both. The demo has a history
 * of 60 days, and its guests check in and sign in to its Wi-Fi. An empty demo has neither sites nor people: its web app shows the
 * first run.
 */
export async function startDemo(
  { env, stdout, stderr }: Terminal,
  { port, empty }: { port?: number; empty?: true },
): Promise<void> {
  const setupToken = randomBase62(24)
  const settings = {
    ENCRYPTION_KEYS: `demo:${randomBytes(32).toString('base64')}`,
    SETUP_TOKEN: setupToken,
    ...(port !== undefined && { PORT: String(port) }),
    LOG_LEVEL: 'warn',
    ...(!empty && {
      TZ: env['TZ'] ?? 'Europe/Berlin',
      WEBHOOK_ALLOW_CIDRS: [env['WEBHOOK_ALLOW_CIDRS'], '127.0.0.1'].filter(Boolean).join(','), // for `receiveWebhooks`
    }),
  }
  const serverUrl = loadDatabaseServer(env)
  loadConfig(replaceSettings(env, { ...settings, DATABASE_URL: serverUrl })) // reports problems before anything is made
  const database = await createTemporaryDatabase(serverUrl, 'demo')
  const config = loadConfig(replaceSettings(env, { ...settings, DATABASE_URL: database.url }))
  const ctx = createContext(config, 'start', { logTo: 2 })
  const running = stopOnSignal(ctx.log, (config.drainSeconds + config.shutdownSeconds) * 1000)
  await running.add({ stop: database.drop })
  await running.add({ stop: ctx.close })
  try {
    const [controllers] = await Promise.all([
      startControllers(running),
      migrateAll({ ...config, databaseUrl: database.url }),
    ])
    await running.start(() => ctx.start().then(() => undefined)) // `ctx.close` stops it
    const demo = empty ? undefined : await seedDemo(ctx, { controllers, setupToken, running })
    await running.start(() => startWork(ctx, running.fail))
    if (demo) await running.add(runHouse(ctx, demo))
    const listening = Promise.withResolvers<number>()
    await running.start(async () => {
      const api = await startApi(ctx)
      listening.resolve(api.port)
      return api
    })
    if (running.isStopping()) return
    const url = `http://127.0.0.1:${await listening.promise}`
    const base = { ready: true, base_url: `${url}${config.basePath}`, url }
    stderr.write(demo ? describeDemo({ url, ...demo }) : describeEmptyDemo(url, setupToken, controllers))
    stdout.write(`${JSON.stringify({ ...base, ...(demo ? factsOf(demo) : factsOfEmpty(setupToken, controllers)) })}\n`)
  } catch (error) {
    await running.stopAfter(error)
  }
}

type Parts = { controllers: DemoController[]; setupToken: string; running: Running }

async function seedDemo(ctx: Context, { controllers, setupToken, running }: Parts): Promise<DemoData> {
  const receiver = await receiveWebhooks()
  await running.add(receiver)
  const signIn = { email: 'demo@example.com', password: randomBase62(16) }
  const house = await seedHouse(ctx, { controllers, receiver, administrator: { ...signIn, token: setupToken } })
  await Promise.all(house.sites.map(({ site }) => syncSite(ctx, site))) // the first page shows that the controllers answer
  return { ...house, signIn }
}

/** The line of JSON that the demo prints for programs. `controller` is the controller of the first site. */
function factsOf({ keys, sites, inactiveSite, signIn }: DemoData) {
  const controllers = sites.map(({ site, controller }) => ({
    site,
    kind: controller.kind,
    url: controller.simulator.url,
  }))
  return {
    sign_in: signIn,
    keys,
    sites: sites.map(({ site }) => site),
    inactive_site: inactiveSite,
    controller: controllers[0]?.url,
    controllers,
  }
}

/** The line of JSON that an empty demo prints for programs. Each controller has the fields of `POST /controllers`. */
function factsOfEmpty(setupToken: string, controllers: DemoController[]) {
  return {
    setup_token: setupToken,
    controllers: controllers.map(({ name, driver, credentials, simulator }) => ({
      name,
      driver,
      address: simulator.url,
      certificate_pin: simulator.fingerprint,
      ...('apiKey' in credentials
        ? { secret: credentials.apiKey }
        : { username: credentials.username, secret: credentials.password }),
    })),
  }
}

/** The text for people, with commands to try. */
function describeDemo({ url, keys, sites, signIn }: DemoData & { url: string }): string {
  const [first, last] = [sites[0], sites.at(-1)] as [DemoSite, DemoSite]
  return `
The demo runs at ${url} with simulated controllers. Ctrl-C stops it and leaves nothing behind.

Open ${url} in a browser and sign in:
  e-mail    ${signIn.email}
  password  ${signIn.password}

Create a voucher:
  curl -H 'X-API-Key: ${keys.write}' -d '{"site_id":${first.site},"name":"First guest"}' ${url}/api/vouchers.php

List the vouchers of the site:
  curl -H 'X-API-Key: ${keys.read}' '${url}/api/vouchers.php?site_id=${first.site}'

List the sites, and read the description of the API:
  curl -H 'X-API-Key: ${keys.read}' ${url}/api/sites.php
  curl ${url}/api/openapi.php

Reference of API v2, for a browser: ${url}/reference
List the webhooks with API v2. This key may also change sites, controllers, templates and webhooks:
  curl -H 'X-API-Key: ${keys.manage}' ${url}/api/v2/webhooks

The sites use different controllers or ways to sign in. The certificates are self-signed and pinned, so curl needs -k:
${sites.map(describeSite).join('\n')}

List the vouchers on a controller, and make its next creation fail (then create one with "site_id":${last.site}):
  curl -k ${last.controller.simulator.url}/control/vouchers
  curl -k -d '{"on":"create","kind":"refuse"}' ${last.controller.simulator.url}/control/faults
simulator/README.md lists more faults.

`
}

function describeEmptyDemo(url: string, setupToken: string, controllers: DemoController[]): string {
  return `
The demo runs at ${url} without sites and people. Ctrl-C stops it and leaves nothing behind.

Open ${url} in a browser and enter this setup token:
  ${setupToken}

Simulated controllers to add. Their certificates are self-signed, so each needs its fingerprint:
${controllers.map(describeController).join('\n')}

`
}

function describeController({ about, credentials, simulator }: DemoController): string {
  const login =
    'apiKey' in credentials
      ? `API key      ${credentials.apiKey}`
      : `user name    ${credentials.username}\n    password     ${credentials.password}`
  return `  ${simulator.url}: ${about}\n    ${login}\n    fingerprint  ${simulator.fingerprint}`
}

function describeSite({ site, name, controller }: DemoSite): string {
  return `  site ${site}, ${name}, at ${controller.simulator.url}: ${controller.about}`
}
