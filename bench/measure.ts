import { type EngineLoad, runPgbench } from './contenders/pgbench.ts'
import type { Running } from './contenders/processes.ts'
import { type CpuTimes, startCpuWatch } from './cpu.ts'
import type { Load } from './load/load.ts'
import type { BenchDatabase } from './seed.ts'
import type { World } from './world.ts'

export type Measured = {
  perSecond: number
  /** Null for pgbench, which reports only a mean. */
  p50Ms: number | null
  p99Ms: number | null
  bytes: number | null
  /** Processor time per request, in microseconds. */
  cpu: CpuTimes
  /** Processor time of the load generator, as a share of one processor. */
  generatorShare: number | null
}

/** A contender and its work: a line of a table. */
export type Line = {
  name: string
  measure(seconds: number): Promise<Measured>
  /** Runs once before the first round of its group. It lets Node compile what the work uses, for example. */
  prepare?: () => Promise<unknown>
}

/** The time in which connections are opened before the measured time begins. */
const warmUpMs = 300

type HttpWork = Pick<Load, 'kind' | 'order'> & Partial<Load> & { servers: Running[]; database: BenchDatabase }

/** Measures requests to these servers. Keys and sites come from the database. */
export async function measureHttp(world: World, work: HttpWork, seconds: number): Promise<Measured> {
  const { servers, database, ...load } = work
  const { generator, redisPid } = world
  const nodePids = servers.map(({ pid }) => pid)
  let watch: ReturnType<typeof startCpuWatch> | undefined
  let cpu: CpuTimes = { node: 0, postgres: 0, redis: 0 }
  const result = await generator.run(
    loadOf(work, seconds, load),
    () => {
      watch = startCpuWatch({ nodePids, redisPid, db: database.db })
    },
    async () => {
      cpu = (await (await watch)?.()) ?? cpu
    },
  )
  const { requests, p50Ms, p99Ms, generatorShare, bytesPerRequest } = result
  return {
    perSecond: requests / result.seconds,
    p50Ms,
    p99Ms,
    bytes: Math.round(bytesPerRequest),
    cpu: perRequest(cpu, requests),
    generatorShare,
  }
}

function loadOf({ servers, database, kind, order }: HttpWork, seconds: number, more: Partial<Load>): Load {
  const urls = servers.map(({ url }) => url)
  return {
    urls,
    connections: 16,
    kind,
    keys: database.keys,
    sites: database.sites,
    order,
    warmUpMs,
    seconds,
    ...more,
  }
}

/** Reads every list once from each process, so that all of them are in its cache. */
export async function fillCaches(world: World, servers: Running[], database: BenchDatabase): Promise<void> {
  for (const { url } of servers)
    await world.generator.run({
      urls: [url],
      connections: 8,
      kind: 'list',
      keys: database.keys,
      sites: database.sites,
      order: 'in turn',
      requests: database.sites,
      warmUpMs: 0,
      seconds: 0,
    })
}

/** Measures a statement in PostgreSQL alone. */
export async function measureEngine(database: BenchDatabase, load: EngineLoad): Promise<Measured> {
  const { requests, seconds, cpu } = await runPgbench(database, load)
  return {
    perSecond: requests / seconds,
    p50Ms: null,
    p99Ms: null,
    bytes: null,
    cpu: perRequest(cpu, requests),
    generatorShare: null,
  }
}

function perRequest({ node, postgres, redis }: CpuTimes, requests: number): CpuTimes {
  return { node: node / requests, postgres: postgres / requests, redis: redis / requests }
}
