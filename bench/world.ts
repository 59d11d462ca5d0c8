import { createClient } from '@redis/client'
import { type Build, buildEarlier, buildHere } from './contenders/builds.ts'
import {
  migrate,
  type Running,
  startApi,
  startBareHandler,
  startController,
  startSlowNetwork,
} from './contenders/processes.ts'
import { type Generator, startGenerator } from './load/load.ts'
import type { Options } from './options.ts'
import { type BenchDatabase, openBenchDatabase, queryServer } from './seed.ts'

/** A service under test: its build, its database, and its api processes, two on PostgreSQL alone and two with Redis. */
export type Service = {
  /** The prefix of the names of its lines; empty for this checkout. */
  label: string
  build: Build
  database: BenchDatabase
  /** The database as the processes of the service reach it. With `--database-delay` this is a proxy. */
  databaseUrl: string
  postgres: Running[]
  redis: Running[]
}

/** Everything that runs during the bench. */
export type World = {
  here: Service
  /** Services to compare with: an earlier commit, or this one on a smaller database. */
  others: { service: Service; name: string }[]
  bare: Running
  controller: Running
  generator: Generator
  redisPid: number | undefined
  environment: Record<string, string>
  close(): Promise<void>
}

export async function openWorld(options: Options, say: (text: string) => void): Promise<World> {
  const prefix = `voucher-bench:${process.pid}:`
  const poolSize = await poolSizeFor(options)
  if (poolSize < usualPoolSize) say(`DATABASE_POOL_SIZE is ${poolSize}, because PostgreSQL allows too few connections`)
  const environment = {
    LOG_LEVEL: options.logLevel,
    TZ: 'UTC',
    DATABASE_POOL_SIZE: String(poolSize),
    ...(options.profile !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` }),
  }
  const redisEnvironment = { REDIS_URL: options.redisUrl, REDIS_PREFIX: prefix }
  const opened: (() => unknown)[] = []
  const open = <T>(value: T, close: (value: T) => unknown): T => {
    opened.push(() => close(value))
    return value
  }
  const close = async () => {
    for (const one of opened.splice(0).toReversed()) await one()
  }

  say('build')
  const build = buildHere()
  const controller = open(await startController(), stop)

  async function openService(label: string, build: Build, vouchers = options.vouchers): Promise<Service> {
    const { program, folder } = build
    say(`${label}database with ${vouchers.toLocaleString('en')} vouchers`)
    const database = open(
      await openBenchDatabase({ ...options, vouchers, folder, migrate: (url) => migrate(program, url) }),
      (database) => database.close(),
    )
    await database.db.query('update controllers set address = $1', [controller.url])
    const databaseUrl =
      options.databaseDelayMs === undefined
        ? database.url
        : open(await startSlowNetwork(database.url, options.databaseDelayMs), stop).url
    const start = async (env: Record<string, string>) =>
      open(await startApi({ program, databaseUrl, env: { ...environment, ...env } }), stop)
    const startTwo = (env: Record<string, string>) => Promise.all([start(env), start(env)])
    const [postgres, redis] = await Promise.all([startTwo({}), startTwo(redisEnvironment)])
    return { label, build, database, databaseUrl, postgres, redis }
  }

  try {
    const here = await openService('', build)
    const others: World['others'] = []
    if (options.against !== undefined) {
      const earlier = open(buildEarlier(options.against), (one) => one.remove())
      others.push({ service: await openService(`${options.against}: `, earlier), name: 'earlier' })
    }
    if (options.beside !== undefined)
      others.push({ service: await openService('small: ', build, options.beside), name: 'small' })
    return {
      here,
      others,
      controller,
      bare: open(await startBareHandler(here.database.url), stop),
      generator: open(startGenerator(), (generator) => generator.stop()),
      redisPid: await findRedisPid(options.redisUrl),
      environment: { ...environment, ...redisEnvironment },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The default of the service. */
const usualPoolSize = 10
/** An api has a second pool of half the size, and a few more connections. */
const connectionsPerPoolSize = 1.5
const besidesPools = 8
/** Connections of the bench itself and of the bare handler. */
const ofBench = 20

/** The largest pools with which all api processes and pgbench can be connected at the same time. */
async function poolSizeFor({ serverUrl, connections, against, beside }: Options): Promise<number> {
  const processes = 4 * [true, against, beside].filter((one) => one !== undefined).length
  const [facts] = await queryServer(
    serverUrl,
    `select current_setting('max_connections')::integer as max, (select count(*)::integer from pg_stat_activity) as used`,
  )
  const free = Number(facts?.['max']) - Number(facts?.['used']) - connections - ofBench
  return Math.max(2, Math.min(usualPoolSize, Math.floor((free / processes - besidesPools) / connectionsPerPoolSize)))
}

function stop(running: Running): Promise<void> {
  return running.stop()
}

async function findRedisPid(url: string): Promise<number | undefined> {
  const client = createClient({ url })
  await client.connect()
  const pid = /process_id:(\d+)/.exec(String(await client.info('server')))?.[1]
  client.destroy()
  return pid === undefined ? undefined : Number(pid)
}
