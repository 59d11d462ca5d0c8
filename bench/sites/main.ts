import { type ChildProcess, fork } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connectDatabase, type Database } from '#db/database.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { unifiIntegration as driver } from '#drivers/unifi-integration/driver.ts'
import { machineClock } from '#lib/clock.ts'
import { freePort } from '#test/data/local-servers.ts'
import { createSelfSignedCertificate } from '../../simulator/self-signed-certificate.ts'
import { buildHere } from '../contenders/builds.ts'
import { migrate, type Running, startApi, startWorkerProcess } from '../contenders/processes.ts'
import type { ControllerCounts, ControllersOptions } from './controllers.ts'
import { startLoad } from './load.ts'
import { startBenchServer } from './postgres.ts'
import { readProcess, watchServer } from './processor-times.ts'
import { readRecord, type SyncAges } from './readings.ts'
import { seedSites, spreadSyncs } from './seed-sites.ts'
import { type Report, toText } from './text-of-report.ts'

const usage = `node bench/sites/main.ts [options]

Runs the service with many sites in one database, on simulated controllers that answer from memory, and measures what they need.
It starts a PostgreSQL of its own, which waits for the disk.

  --sites <n>          sites, each on a controller of its own (default 50000)
  --vouchers <n>       vouchers that each controller holds (default 20)
  --workers <n>        worker processes (default 1)
  --apis <n>           api processes (default 1)
  --creations <n>      vouchers that each site creates in a day (default 20); as many are used for the first time
  --lists <n>          lists that each site reads in a day (default 144, a tenth of one a minute)
  --revocations <n>    vouchers that each site revokes in a day (default 1)
  --delay <ms>         time that a controller takes for each answer (default 50)
  --slow <n>           slows the clock down: intervals are this many times longer, and all rates this many times lower (default 1)
  --warm-up <s>        seconds before the measurement (default 300)
  --seconds <s>        seconds of the measurement (default 900)
  --keep <folder>      keeps the database in this folder, where the next run with the same sites and vouchers finds it
  --json <file>        also writes the figures to this file
`

const text = (fallback: string) => ({ type: 'string', default: fallback }) as const
const { values } = parseArgs({
  options: {
    ...{ sites: text('50000'), vouchers: text('20'), workers: text('1'), apis: text('1'), creations: text('20') },
    ...{ lists: text('144'), revocations: text('1'), delay: text('50'), 'warm-up': text('300'), seconds: text('900') },
    ...{ slow: text('1'), keep: { type: 'string' }, json: { type: 'string' }, help: { type: 'boolean' } },
  },
})

/** The controllers share these addresses. Each address has its own limit of probes. */
const hostCount = 1_000
const probesToMeasure = 400
const probesAtOnce = 20
const sampleEveryMs = 15_000

function say(message: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${message}\n`)
}

const opened: (() => unknown)[] = []

async function main(): Promise<void> {
  const sites = Number(values.sites)
  const vouchersPerSite = Number(values.vouchers)
  const slow = Number(values.slow)
  const perSecond = (perSiteAndDay: string) => (sites * Number(perSiteAndDay)) / 86_400 / slow
  const rates = {
    lists: perSecond(values.lists),
    creations: perSecond(values.creations),
    revocations: perSecond(values.revocations),
  }
  const { program, commit } = buildHere()
  const server = await startBenchServer(values.keep)
  opened.push(server.stop)
  const { url } = server
  const kept = readKept(server.folder)
  if (!kept) await createDatabase(url('postgres'), url('bench'), program)
  const db = connectDatabase({ url: url('bench'), poolSize: 2, timeoutMs: 3_600_000, onError: () => {} })
  opened.push(db.close)

  const epochMs = kept?.epochMs ?? Math.floor(Date.now() / 1_000) * 1_000
  const ports = kept?.ports ?? { controllers: await freePort(), sink: await freePort() }
  const { controllers, origins, certificatePin } = await startControllers(server.folder, {
    ...{ sites, vouchersPerSite, epochMs, port: ports.controllers },
    delayMs: Number(values.delay),
    usesPerSecond: rates.creations,
  })
  const sink = await startSink(ports.sink)
  if (!kept) {
    say(`seed ${sites} sites with ${vouchersPerSite} vouchers each`)
    const seed = { sites, vouchersPerSite, epochMs, origins, certificatePin, webhookUrl: sink.url }
    const keys = await seedSites(db, seed)
    writeFileSync(join(server.folder, keptFile), JSON.stringify({ keys, epochMs, ports }))
  }
  await db.query(`update api_keys set expires_at = now() + interval '1 day'`)
  const { keys } = readKept(server.folder) as Kept
  await spreadSyncs(db, slow)

  say('start')
  const service = {
    program,
    databaseUrl: url('bench'),
    env: { LOG_LEVEL: 'info', TZ: 'UTC' },
    log: join(server.folder, 'service.log'),
  }
  const startAll = async (count: string, start: (options: typeof service) => Promise<Running>) => {
    const running = await Promise.all(Array.from({ length: Number(count) }, () => start(service)))
    opened.push(() => Promise.all(running.map((one) => one.stop())))
    return running
  }
  const watch = watchServer(server.pid)
  opened.push(watch.stop)
  const apis = await startAll(values.apis, startApi)
  const workers = await startAll(values.workers, startWorkerProcess)
  const load = startLoad({ url: apis[0]?.url as string, keys, sites, vouchersPerSite, ...rates })
  opened.push(load.stop)

  const read = async () => ({
    atMs: performance.now(),
    counts: await askControllers(controllers),
    postgres: watch.read(),
    apis: apis.map(({ pid }) => readProcess(pid)),
    workers: workers.map(({ pid }) => readProcess(pid)),
    record: await readRecord(db),
    notified: sink.received(),
  })
  await sampled(Number(values['warm-up']), db, 'warm-up')
  await db.query('select pg_stat_statements_reset()')
  const before = await read()
  load.reset()
  const samples = await sampled(Number(values.seconds), db, 'measured')
  const after = await read()
  const statements = await listStatements(db)
  const requests = structuredClone(load.counts)

  for (const close of opened.splice(opened.indexOf(watch.stop)).toReversed()) await close()
  const probeMs = await measureProbe(origins[0] as string, certificatePin)
  const report: Report = {
    ...{ sites, vouchersPerSite, rates, slow, commit, load: loadavg(), delayMs: Number(values.delay) },
    ...{ before, after, samples, statements, requests, probeMs },
  }
  process.stdout.write(toText(report))
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report)}\n`)
}

/** The facts about a seeded database that the next run needs. */
type Kept = { keys: string[]; epochMs: number; ports: { controllers: number; sink: number } }

const keptFile = 'kept.json'

function readKept(folder: string): Kept | undefined {
  const path = join(folder, keptFile)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

async function createDatabase(serverUrl: string, url: string, program: string): Promise<void> {
  const server = connectDatabase({ url: serverUrl, poolSize: 1, onError: () => {} })
  await server.query('drop database if exists bench')
  await server.query('create database bench')
  await server.close()
  await migrate(program, url)
  const db = connectDatabase({ url, poolSize: 1, onError: () => {} })
  await db.query('create extension pg_stat_statements')
  await db.close()
}

async function startControllers(
  folder: string,
  { port, ...options }: Omit<ControllersOptions, 'hosts' | 'keyFile' | 'certificateFile'>,
) {
  const files = { keyFile: join(folder, 'key.pem'), certificateFile: join(folder, 'certificate.pem') }
  if (!existsSync(files.keyFile)) {
    const { key, certificate } = await createSelfSignedCertificate()
    writeFileSync(files.certificateFile, certificate)
    writeFileSync(files.keyFile, key)
  }
  const { fingerprint256 } = new X509Certificate(readFileSync(files.certificateFile))
  const hosts = Array.from({ length: hostCount }, (_, i) => `127.1.${Math.floor(i / 250)}.${1 + (i % 250)}`)
  const controllers = fork(fileURLToPath(new URL('controllers.ts', import.meta.url)))
  opened.push(() => controllers.kill())
  controllers.send({ ...options, ...files, port, hosts })
  await once(controllers, 'message')
  return {
    controllers,
    origins: hosts.map((host) => `https://${host}:${port}`),
    certificatePin: Buffer.from(fingerprint256.replaceAll(':', ''), 'hex'),
  }
}

async function askControllers(controllers: ChildProcess): Promise<ControllerCounts> {
  const answered = once(controllers, 'message') as Promise<[ControllerCounts]>
  controllers.send('counts')
  return (await answered)[0]
}

/** A receiver that accepts every notification. */
async function startSink(port: number): Promise<{ url: string; received(): number }> {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1
      response.writeHead(204).end()
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  opened.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${port}/hook`, received: () => received }
}

/** Reads the ages of all syncs now and then. Their statement scans all sites, so it runs rarely. */
async function sampled(seconds: number, db: Database, name: string): Promise<SyncAges[]> {
  const samples: SyncAges[] = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    await pause(Math.min(sampleEveryMs, Math.max(0, end - performance.now())))
    const { rows } = await db.query<SyncAges>(
      `select percentile_disc(0.5) within group (order by age) as p50, percentile_disc(0.95) within group (order by age) as p95,
              max(age) as max, (count(*) filter (where next_sync_at < now()))::integer as due,
              greatest(0, max(extract(epoch from now() - next_sync_at)))::float as late,
              (select count(*)::integer from pgboss.job where name = 'sync' and state < 'active') as waiting,
              (select count(*)::integer from pgboss.job where name = 'sync' and state = 'active') as active
         from (select next_sync_at, extract(epoch from now() - synced_at)::float as age from sites where active) as sites`,
    )
    const sample = rows[0] as SyncAges
    samples.push(sample)
    const rounded = Object.entries(sample).map(([member, value]) => `${member} ${Math.round(value)}`)
    say(`${name}: ${rounded.join(', ')}, load ${loadavg()[0]?.toFixed(1)}`)
  }
  return samples
}

async function listStatements(db: Database) {
  const { rows } = await db.query<{
    calls: number
    ms: number
    meanMs: number
    wal: number
    rows: number
    query: string
  }>(
    `select calls::float, total_exec_time as ms, mean_exec_time as "meanMs", wal_bytes::float as wal, rows::float,
            regexp_replace(query, '\\s+', ' ', 'g') as query
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      order by total_exec_time desc limit 40`,
  )
  return rows
}

/**
 * The processor time of a probe, measured in this process: the worker's processor time for probes alone cannot be read. On an overloaded
 * machine some probes get no answer in time, and count too.
 */
async function measureProbe(origin: string, certificatePin: Buffer): Promise<number> {
  const policy = createControllerAddressPolicy({ port: 1, databaseUrl: 'postgres://127.0.0.1:1/none' })
  const controller = { address: `${origin}/c/1`, certificatePin, addressPolicy: policy, clock: machineClock }
  const reach = () => driver.reach(controller)
  const reachAll = async () => {
    for (let i = 0; i < probesToMeasure; i += probesAtOnce)
      await Promise.allSettled(Array.from({ length: probesAtOnce }, () => reach()))
  }
  await reachAll()
  const before = process.cpuUsage()
  await reachAll()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / probesToMeasure
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  if (values.help) process.stdout.write(usage)
  else await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
  process.exitCode = 1
} finally {
  for (const close of opened.toReversed()) await close()
}
