import { connectDatabase, type Database } from '#db/database.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { setSite } from '#domain/sites/change-site.ts'
import { type PrivatePostgres, type PrivateRedis, startPostgres, startRedis } from '#test/data/private-stores.ts'
import { seedKey, seedWebhook, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { allDialects, type Simulator, startSimulatorProcess } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'
import { type Supervised, supervise } from './cluster.ts'
import type { Mutant } from './mutants.ts'
import { type Sink, startSink } from './sink.ts'
import { startToxicProxy, type ToxicProxy } from './toxic-proxy.ts'

/** With `tellsWhoMade`, it is certain who made a voucher. Otherwise a surplus is only reported. */
type SimulatedSite = { id: number; reference: string; tellsWhoMade: boolean }

type SimulatedController = { simulator: Simulator; proxy: ToxicProxy; sites: SimulatedSite[] }

/** What the clients of the fault tests need. */
export type WorldOfClients = Pick<World, 'apis' | 'controllers' | 'keys'>

/** What is read when all work has ended. */
export type WorldOfRecord = Pick<World, 'db' | 'controllers' | 'sink' | 'settleSeconds'>

export type World = {
  apis: Supervised[]
  worker: Supervised
  postgres: PrivatePostgres
  redis: PrivateRedis
  links: { postgres: ToxicProxy; redis: ToxicProxy; sink: ToxicProxy }
  controllers: SimulatedController[]
  sink: Sink
  keys: { write: string; read: string; limited: string }
  limit: number
  settleSeconds: number
  /** A direct connection, without a proxy, for the queries of the test itself. */
  db: Database
}

const limit = 100
const settleSeconds = 10
const references = ['default', 'branch']
const tagged = 'branch'

/** Two api processes and a worker, their stores, three kinds of controllers and a sink, with a proxy in every link. */
export async function startWorld(mutant?: Mutant): Promise<World> {
  const [postgres, redis, sink] = await Promise.all([startPostgres(), startRedis(), startSink()])
  const direct = postgres.url('postgres')
  await spawnCommand(direct, ['migrate'])
  const db = connectDatabase({ url: direct, poolSize: 4, onError: () => {} })
  onFileEnd(() => db.close())
  const links = {
    postgres: await startToxicProxy(postgres.port),
    redis: await startToxicProxy(Number(new URL(redis.url).port)),
    sink: await startToxicProxy(sink.port),
  }
  const controllers = await Promise.all(allDialects.map((dialect) => startController(db, dialect)))
  await seedWebhook(db, { url: `http://127.0.0.1:${links.sink.port}/hook` })
  const write = await seedKey(db, { name: 'Write', scope: 'write' })
  const read = await seedKey(db, { name: 'Read' })
  const limited = await seedKey(db, { name: 'Limited', rateLimit: limit })
  const env = {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${links.postgres.port}/postgres`,
    REDIS_URL: `redis://127.0.0.1:${links.redis.port}`,
    SETTLE_SECONDS: String(settleSeconds),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_RETRY_SCALE: '0.01',
  }
  const [one, two, worker] = await Promise.all([
    supervise('api 1', 'api', env, mutant),
    supervise('api 2', 'api', env, mutant),
    supervise('worker', 'worker', env, mutant),
  ])
  return {
    apis: [one, two],
    worker,
    postgres,
    redis,
    links,
    controllers,
    sink,
    keys: { write: write.key, read: read.key, limited: limited.key },
    limit,
    settleSeconds,
    db,
  }
}

/** Starts a simulated controller with two sites, and a proxy in front of it. */
export async function startController(
  db: Database,
  { dialect, driver, flavour }: (typeof allDialects)[0],
): Promise<SimulatedController> {
  const sites = references.flatMap((reference) => ['--site', `${reference}=${reference}`])
  const simulator = await startSimulatorProcess('--flavour', flavour, '--login-limit', '0', ...sites)
  const proxy = await startToxicProxy(Number(new URL(simulator.url).port))
  await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
    name: dialect,
    driver,
    address: `http://127.0.0.1:${proxy.port}`,
    credentials: driver === 'unifi-classic' ? simulator.login : { apiKey: simulator.apiKey },
  })
  const added = []
  for (const reference of references) {
    const site = {
      name: `${dialect} ${reference}`,
      controller: dialect,
      controllerSite: reference,
      active: true,
    }
    const { id } = await addSite(db, testActor, site)
    if (reference === tagged) await setSite(db, testActor, id, { tagsNames: true })
    added.push({ id, reference, tellsWhoMade: reference === tagged || driver === 'unifi-classic' })
  }
  return { simulator, proxy, sites: added }
}
