import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Running, runCommand, startWorkerProcess } from './contenders/processes.ts'
import { startCpuWatch } from './cpu.ts'
import { delayCreations } from './creating-groups.ts'
import type { Measured } from './measure.ts'
import type { Group } from './rounds.ts'
import type { Service, World } from './world.ts'

const syncSize = 20_000
const batchSize = 1_000
const withdrawalSize = 50
const deliveryCount = 100
const patienceMs = 300_000

/** A job of the worker. It has ended when the database shows its result. */
type Job = { name: string; about: string; prepare(bench: Bench): Promise<void>; run(bench: Bench): Promise<void> }

type Bench = {
  world: World
  service: Service
  worker: Running
  call(path: string, body: object): Promise<any>
  control(path: string, body: object): Promise<any>
}

/** The workloads of the worker. Rates are in jobs per second, and processor time is per job. */
export function workerGroups(world: World): Group[] {
  return jobs.map((job) => ({
    name: job.name,
    about: job.about,
    ratios: {},
    lines: [world.here, ...world.others.map((other) => other.service)].map((service) => ({
      name: `${service.label}worker`,
      measure: () => measureJob(world, service, job),
    })),
  }))
}

async function measureJob(world: World, service: Service, job: Job): Promise<Measured> {
  const { build, database, databaseUrl } = service
  const env = world.environment
  const worker = await startWorkerProcess({ program: build.program, databaseUrl, env })
  const post = async (url: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': database.keys[0] as string }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const bench: Bench = {
    ...{ world, service, worker },
    call: (path, body) => post(`${service.redis[0]?.url}/api${path}`, body),
    control: (path, body) => post(`${world.controller.url}/control/${path}`, body),
  }
  try {
    await delayCreations(world, 0)
    await job.prepare(bench)
    await pause(1_000) // the worker has started
    const { redisPid } = world
    const watch = await startCpuWatch({ nodePids: [worker.pid], redisPid, db: database.db })
    const begin = performance.now()
    await job.run(bench)
    const ms = performance.now() - begin
    return { perSecond: 1_000 / ms, p50Ms: ms, p99Ms: null, bytes: null, cpu: await watch(), generatorShare: null }
  } finally {
    await worker.stop()
  }
}

async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`A job of the bench did not end within ${patienceMs / 1_000} s`)
    await pause(20)
  }
}

async function exists({ service }: Bench, condition: string): Promise<boolean> {
  const { rows } = await service.database.db.query<{ yes: boolean }>(`select exists (${condition}) as yes`)
  return rows[0]?.yes === true
}

/** The site for jobs and the one for syncs follow the sites with the seeded vouchers. */
const jobSite = ({ service }: Bench) => service.database.sites + 1
const syncSite = ({ service }: Bench) => service.database.sites + 2

async function makeBatch(bench: Bench, count: number): Promise<string> {
  const { id } = await bench.call('/v2/batches', { site_id: jobSite(bench), name: 'Seminar', count })
  await until(async () => !(await exists(bench, 'select from batches where finished_at is null')))
  return id
}

async function sync(bench: Bench): Promise<void> {
  const { db } = bench.service.database
  const site = syncSite(bench)
  await db.query('update sites set next_sync_at = now(), synced_at = null, adopts_vouchers = true where id = $1', [
    site,
  ])
  await until(() => exists(bench, `select from sites where id = ${site} and synced_at is not null`))
}

async function fillSyncSite(bench: Bench): Promise<void> {
  const site = syncSite(bench)
  if (await exists(bench, `select from vouchers where site_id = ${site}`)) return
  await bench.control('vouchers', { internalReference: 'sync', name: 'Old', timeLimitMinutes: 480, count: syncSize })
  await sync(bench)
  await bench.service.database.db.query('analyze vouchers') // where autovacuum is on, it does this within a minute
}

let batchToWithdraw = ''
let received = 0

const jobs: Job[] = [
  {
    name: 'batch_1000',
    about: `a batch of ${batchSize} vouchers of one name`,
    prepare: async () => {},
    run: async (bench) => void (await makeBatch(bench, batchSize)),
  },
  {
    name: 'sync_unchanged',
    about: `a sync of ${syncSize} vouchers, none changed; the time includes up to 5 s until it begins`,
    prepare: fillSyncSite,
    run: sync,
  },
  {
    name: 'sync_changed',
    about: `a sync of ${syncSize} vouchers, one in ten used since; the time includes up to 5 s until it begins`,
    async prepare(bench) {
      await fillSyncSite(bench)
      const { rows } = await bench.service.database.db.query<{ code: string }>(
        `select code from vouchers where site_id = $1 and used_count = 0 limit $2`,
        [syncSite(bench), syncSize / 10],
      )
      for (const { code } of rows) await bench.control('redeem', { code, mac: 'aa:bb:cc:dd:ee:ff' })
    },
    run: sync,
  },
  {
    name: 'withdrawal_50',
    about: `a withdrawal of ${withdrawalSize} vouchers`,
    async prepare(bench) {
      batchToWithdraw = await makeBatch(bench, withdrawalSize)
    },
    async run(bench) {
      await bench.call('/v2/revocations', { filter: { batch_id: batchToWithdraw } })
      await until(async () => !(await exists(bench, 'select from withdrawals where settled_at is null')))
    },
  },
  {
    name: 'delivery',
    about: `${deliveryCount} creations and the delivery of their notifications`,
    async prepare(bench) {
      const server = createServer((request, response) => {
        request.resume().once('end', () => {
          received++
          response.writeHead(204).end()
        })
      }).listen(0, '127.0.0.1')
      server.unref()
      await once(server, 'listening')
      const { build, database, databaseUrl } = bench.service
      await database.db.query('delete from webhooks')
      const options = ['--name', 'bench', '--format', 'generic', '--url-file', '-', '--site', String(jobSite(bench))]
      const input = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      await runCommand({ program: build.program, databaseUrl, args: ['webhooks', 'add', ...options], input })
      received = 0
    },
    async run(bench) {
      for (let i = 0; i < deliveryCount; i++)
        await bench.call('/vouchers.php', { site_id: jobSite(bench), name: 'Gast' })
      await until(() => received >= deliveryCount)
    },
  },
]
