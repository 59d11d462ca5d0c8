import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connectDatabase, type Database } from '#db/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { type PrivatePostgres, type PrivateRedis, startPostgres, startRedis } from '#test/data/private-stores.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy, type TcpProxy } from '#test/network/proxies.ts'
import { type Simulator, startSimulatorProcess } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Service, startService } from '#test/service.ts'
import { migrateAll } from '../../../src/commands/migrate.ts'
import { divisor, startPrometheus } from './prometheus-server.ts'
import { createTrials, type Trial } from './trials.ts'

/** A process of the service whose metrics are scraped. It can be started again on the same ports. */
type Target = { metricsPort: number; service(): Service; start(): Promise<void> }

/** A site on a controller of its own, behind a proxy that can cut the connection. */
export type WatchedSite = { id: number; controllerId: string; simulator: Simulator; proxy: TcpProxy }

export type WatchedService = {
  postgres: PrivatePostgres
  redis: PrivateRedis
  db: Database
  url: string
  api: Target
  worker: Target
  sites: WatchedSite[]
  /** Returns the status of the answer. */
  createVoucher(site: WatchedSite, more?: object): Promise<number>
  /** Makes the site due for a sync, like the button in the web app. */
  syncNow(site: WatchedSite): Promise<unknown>
  /** Calls `work` again and again until it is stopped, as clients do. */
  keepDoing(everyMs: number, work: () => Promise<unknown>): { stop(): Promise<void> }
  /** Revokes the vouchers with this reference, and returns the status of the answer. */
  revoke(reference: string): Promise<number>
  /** Lists vouchers, and returns the status of the answer. */
  list(): Promise<number>
  try(trial: Trial): Promise<void>
}

/**
 * Starts an api and a worker with their own PostgreSQL, Redis and controllers, and a Prometheus that watches them. A second installation
 * is watched as another job: it has no faults, and must not hide those of the first one.
 */
export async function startWatchedService(controllers: number): Promise<WatchedService> {
  const [postgres, redis] = await Promise.all([startPostgres({ fsync: 'off', archive_mode: 'on' }), startRedis()])
  const url = postgres.url('vouchers')
  const stagingUrl = postgres.url('staging')
  for (const each of [url, stagingUrl]) await createMigrated(postgres, each)
  const db = connectDatabase({ url, poolSize: 4, timeoutMs: 30_000, onError: () => {} })
  onFileEnd(() => db.close())
  const { key } = await seedKey(db, { scope: 'write' })
  const sites = await Promise.all(Array.from({ length: controllers }, () => addSite(db)))
  const env = { REDIS_URL: redis.url, DATABASE_POOL_SIZE: '2', WEBHOOK_RETRY_SCALE: String(1 / divisor) }
  const [api, worker, staging] = await Promise.all([
    startTarget(url, env, 'api'),
    startTarget(url, env, 'worker'),
    startTarget(stagingUrl, {}, 'start'),
  ])
  const request = async (path: string, init: { method?: string; body?: string } = {}) =>
    (
      await call(api.service().url + path, {
        ...init,
        headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      })
    ).status
  const prometheus = await startPrometheus({
    'voucher-service': [api.metricsPort, worker.metricsPort],
    'voucher-service-staging': [staging.metricsPort],
  })
  // A proxy in front checks each api every two or three seconds.
  keepDoing(3_000 / divisor, () => request('/readyz'))
  return {
    postgres,
    redis,
    db,
    url,
    api,
    worker,
    sites,
    createVoucher: (site, more = {}) =>
      request('/api/v2/vouchers', {
        method: 'POST',
        body: JSON.stringify({ site_id: site.id, name: 'Gast', expire_minutes: 60, max_uses: 1, ...more }),
      }),
    revoke: (reference) =>
      request('/api/v2/revocations', { method: 'POST', body: JSON.stringify({ filter: { reference } }) }),
    syncNow: (site) => db.query('update sites set next_sync_at = now() where id = $1', [site.id]),
    keepDoing,
    list: () => request('/api/v2/vouchers'),
    try: createTrials(prometheus),
  }
}

async function createMigrated(postgres: PrivatePostgres, url: string): Promise<void> {
  const server = connectDatabase({ url: postgres.url('postgres'), poolSize: 1, onError: () => {} })
  await server.query(`create database ${new URL(url).pathname.slice(1)}`)
  await server.close()
  await migrateAll({ databaseUrl: url })
}

async function addSite(db: Database): Promise<WatchedSite> {
  const simulator = await startSimulatorProcess()
  const { hostname: host, port } = new URL(simulator.url)
  const proxy = await startTcpProxy({ host, port: Number(port) })
  const id = await seedControlledSite(db, { ...simulator, url: `http://127.0.0.1:${proxy.port}` })
  const { rows } = await db.query<{ controllerId: string }>(
    'select controller_id as "controllerId" from sites where id = $1',
    [id],
  )
  return { id, controllerId: rows[0]?.controllerId as string, simulator, proxy }
}

async function startTarget(url: string, env: Record<string, string>, command: string): Promise<Target> {
  const metricsPort = await freePort()
  const own = { ...env, METRICS_PORT: String(metricsPort), PORT: String(await freePort()) }
  let service = await startService(url, own, command)
  return {
    metricsPort,
    service: () => service,
    async start() {
      service = await startService(url, own, command)
    },
  }
}

function keepDoing(everyMs: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
  let isOver = false
  const loop = (async () => {
    while (!isOver) {
      await work().catch(() => {}) // the process may be down
      await pause(everyMs)
    }
  })()
  const stop = () => {
    isOver = true
    return loop
  }
  onFileEnd(stop)
  return { stop }
}
