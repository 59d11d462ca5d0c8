import { setTimeout as pause } from 'node:timers/promises'
import { connectDatabase, type Database } from '#db/database.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { randomBase62, sha256Of } from '#domain/keys/key.ts'
import { seedKeyOfAnyVersion, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Service, spawnCommand, startService } from '#test/service.ts'
import { startRoundRobin } from '../faults/round-robin.ts'
import { checkUpgrade } from './check-upgrade.ts'
import { createEmptyDatabase } from './empty-database.ts'
import { type Load, startLoad } from './upgrade-load.ts'

type Upgrade = {
  /** The programs of the two versions. */
  from: string
  to: string
  migrate: (url: string) => Promise<unknown>
  /** The number of requests between two steps of the upgrade. */
  requestsPerStep: number
}

/** The broken promises, one sentence each, and how much the clients did. */
type Upgraded = { problems: string[]; requests: number; done: ReturnType<typeof countWork> }

/** The proxy in front asks for readiness every 100 ms. */
const env = { DRAIN_SECONDS: '3' }
const quietWithinMs = 120_000

/**
 * Replaces two apis and two workers one after the other while clients work, as docs/backups.md says.
 */
export async function upgradeUnderLoad(upgrade: Upgrade): Promise<Upgraded> {
  const url = await createEmptyDatabase()
  await spawnCommand(url, ['migrate'], { script: upgrade.from })
  const db = connectDatabase({ url, poolSize: 4, timeoutMs: 30_000, onError: () => {} })
  onFileEnd(() => db.close())
  const simulators = [await startSimulator(), await startSimulator('--login-limit', '0')]
  const sites = await seedSites(db, simulators)
  const [keys, session] = [await seedKeys(db), await seedSession(db)]
  const [sink, other] = [await startWebhookSink('127.0.0.1'), await startWebhookSink('127.0.0.2')]

  const start = (command: string, script: string) => startService(url, env, command, script)
  const processes = await Promise.all(['api', 'api', 'worker', 'worker'].map((command) => start(command, upgrade.from)))
  const old = [...processes]
  const backends = old.filter((service) => service.url !== '').map((service) => service.url)
  const proxy = await startRoundRobin(backends)
  const webhookId = await addWebhook(proxy.url, keys.manage, sink.url)
  const load = startLoad({ url: proxy.url, sites, keys, session, receiver: other.url })
  await load.more(upgrade.requestsPerStep)
  await upgrade.migrate(url)
  await load.more(upgrade.requestsPerStep)
  const replacements: Service[] = []
  for (const [i, command] of ['worker', 'api', 'worker', 'api'].entries()) {
    const replacement = await start(command, upgrade.to)
    replacements.push(replacement)
    if (command === 'api') {
      await untilReady(replacement)
      backends.push(replacement.url)
    }
    const [outdated] = old.splice(command === 'api' ? 0 : -1, 1) as [Service]
    const exitCode = await outdated.stop()
    if (exitCode !== 0) load.failures.push(`an old ${command} ended with exit code ${exitCode} in step ${i}`)
    await load.more(upgrade.requestsPerStep)
  }
  await load.stop()
  await waitForQuiet(db)
  const logs = [...processes, ...replacements].flatMap(({ log }) => log)
  const problems = await checkUpgrade({ db, load, simulators, sites, webhookId, received: sink.received, logs })
  await Promise.all(replacements.map((service) => service.stop()))
  return { problems, requests: load.requests(), done: countWork(load) }
}

function countWork({ created, batches, revocations }: Load) {
  return { created: created.length, batches: batches.length, revocations: revocations.length }
}

/** The session of an administrator. It is written with the columns of 0.1.0, as sites and keys are: our own queries need newer ones. */
async function seedSession(db: Database): Promise<string> {
  const token = randomBase62(43)
  await db.query(
    `with person as (
       insert into staff (id, name, email, role, all_sites) values (gen_random_uuid(), 'Anna', 'anna@example.com', 'admin', true)
       returning id)
     insert into staff_sessions (id, staff_id, token_sha256, address, user_agent)
     select gen_random_uuid(), id, $1, '127.0.0.1', 'Test' from person`,
    [sha256Of(token)],
  )
  return token
}

async function seedSites(db: Database, [integration, classic]: Simulator[]): Promise<number[]> {
  return [
    await seedSite(db, 'Integration', 'unifi-integration', integration as Simulator),
    await seedSite(db, 'Classic', 'unifi-classic', classic as Simulator),
  ]
}

async function seedSite(db: Database, name: string, driver: string, simulator: Simulator): Promise<number> {
  const { url: address, apiKey, login } = simulator
  const credentials = driver === 'unifi-classic' ? login : { apiKey }
  const request = { name, driver, address, credentials }
  const controller = await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, request)
  const { rows } = await db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site, active, next_sync_at) values ($1, $2, 'default', true, now()) returning id`,
    [name, controller.id],
  )
  return rows[0]?.id as number
}

async function seedKeys(db: Database) {
  return { write: await seedKeyOfAnyVersion(db, 'write'), manage: await seedKeyOfAnyVersion(db, 'manage') }
}

/** Adds the webhook that gets all events. Old code must do it, because new code may write columns that are not there yet. */
async function addWebhook(url: string, key: string, receiver: string): Promise<string> {
  const events = ['voucher.created', 'voucher.revoked', 'batch.finished']
  const { status, text } = await call(`${url}/api/v2/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'All', url: receiver, events }),
  })
  if (status !== 201) throw new Error(text)
  return JSON.parse(text).id
}

async function untilReady({ url }: Service): Promise<void> {
  while ((await call(`${url}/readyz`)).status !== 200) await pause(50)
}

/** Waits until no work is left, for a limited time. The checks then find what is left. */
async function waitForQuiet(db: Database): Promise<void> {
  const endsAt = Date.now() + quietWithinMs
  while (Date.now() < endsAt) {
    const { rows } = await db.query<{ isBusy: boolean }>(
      `select exists (select from creations where settled_at is null)
           or exists (select from batches where finished_at is null)
           or exists (select from withdrawals where settled_at is null)
           or exists (select from deliveries d join webhooks w on w.id = d.webhook_id
                       where d.state = 'pending' and w.removed_at is null)
           or exists (select from pgboss.job where name like 'attempt%' and state <= 'active') as "isBusy"`,
    )
    if (!rows[0]?.isBusy) return
    await pause(200)
  }
}
