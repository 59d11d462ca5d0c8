import { type Logger, pino } from 'pino'
import { connectDatabase, createDatabaseClock, type Database, type DatabaseClock, isReachable } from '#db/database.ts'
import type { DriverForms } from '#domain/controllers/add-controller.ts'
import { type Controllers, createControllers } from '#domain/controllers/controllers.ts'
import { createReceivers, type Receivers } from '#domain/deliveries/receivers.ts'
import { type Authenticate, createAuthenticate } from '#domain/keys/key.ts'
import { countKeyUsage, type KeyUsage } from '#domain/keys/key-usage.ts'
import { createFindLiveSession, type FindLiveSession } from '#domain/staff/sign-in.ts'
import { createSearches, type Searches } from '#domain/vouchers/searches.ts'
import { createReceiverAddresses, type ReceiverAddresses } from '#domain/webhooks/receiver-url.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { drivers } from '#drivers/registry.ts'
import type { Keyring } from '#lib/cipher.ts'
import { type Calendar, createCalendar } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { createLimiter, type Limiter, postgresCounter } from '#limits/limiter.ts'
import { redisCounter } from '#limits/redis-counter.ts'
import { createQueue, type Queue } from '#queue/queue.ts'
import { createQueueWatch, type QueueWatch, type WatchTimes } from '#worker/queue-watch.ts'
import type { Config } from './config.ts'

/** The connections and parts of a process. They are created once per process and passed down as arguments. */
export type Context = {
  config: Config
  log: Logger
  db: Database
  /** The database's time. Before `start`, it is the machine's time. */
  clock: DatabaseClock
  /** A connection for health checks only, so that they never wait for the pool of `db`. The first check opens it. */
  healthDb: Database
  searches: Searches
  authenticate: Authenticate
  findLiveSession: FindLiveSession
  limiter: Limiter
  keyUsage: KeyUsage
  keyring: Keyring
  controllers: Controllers
  drivers: DriverForms
  receiverAddresses: ReceiverAddresses
  receivers: Receivers
  retryScale: number
  queue: Queue
  queueWatch: QueueWatch
  today: Calendar
  /** Starts the clock and the queue. The database must be migrated. */
  start(): Promise<void>
  close(): Promise<void>
}

const healthTimeoutMs = 2_000
const searchTimeoutMs = 3_000
const searchesAtOnce = 2
const connectionLost = 'a connection to PostgreSQL was lost; the next query opens a new one'

type ContextOptions = { logTo?: 1 | 2; watchTimes?: WatchTimes | undefined }

/** A worker also retries the jobs of processes that died. `logTo` is standard output (1) or standard error (2). */
export function createContext(
  config: Config,
  role: 'api' | 'worker',
  { logTo = 1, watchTimes }: ContextOptions = {},
): Context {
  const log = pino({ name: 'voucher-service', level: config.logLevel }, pino.destination({ dest: logTo, sync: false }))
  const db = connectDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    onError: (err) => log.warn({ err }, connectionLost),
  })
  const clock = createDatabaseClock(db)
  const healthDb = connectHealthDatabase(config)
  const searches = createSearches(connectSearchDatabase(config, log))
  const { limiter, disconnect: disconnectLimiter } = connectLimiter(config, db, log)
  const today = createCalendar(config.timeZone)
  const keyUsage = countKeyUsage({ db, clock, today }, (err) =>
    log.warn({ err }, 'the usage of API keys could not be written; the next attempt includes it'),
  )
  const controllers = createControllers({
    drivers,
    db,
    keyring: config.encryptionKeys,
    addressPolicy: createControllerAddressPolicy(config),
    clock,
  })
  const receiverAddresses = createReceiverAddresses(config)
  const receivers = createReceivers(receiverAddresses)
  const queue = createQueue({
    url: config.databaseUrl,
    supervise: role === 'worker',
    onError: (err) => log.warn({ err }, 'the job queue reported an error; it continues by itself'),
  })
  const queueWatch = createQueueWatch({ queue, isDatabaseReachable: () => isReachable(healthDb) }, watchTimes)

  return {
    config,
    log,
    db,
    clock,
    healthDb,
    searches,
    authenticate: createAuthenticate(db),
    findLiveSession: createFindLiveSession(db),
    limiter,
    keyUsage,
    keyring: config.encryptionKeys,
    controllers,
    drivers,
    receiverAddresses,
    receivers,
    retryScale: config.webhookRetryScale,
    queue,
    queueWatch,
    today,
    async start() {
      await clock.start()
      await queue.start()
    },
    async close() {
      await controllers.drain()
      await queue.stop()
      await keyUsage.stop()
      await controllers.close()
      await receivers.close()
      disconnectLimiter()
      clock.stop()
      await healthDb.close()
      await searches.close()
      await db.close()
    },
  }
}

/** The idle connection stays open, so a full PostgreSQL does not make a process unready that is already connected. */
function connectHealthDatabase({ databaseUrl }: Config): Database {
  return connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    minIdle: 1,
    name: 'voucher-service health',
    timeoutMs: healthTimeoutMs,
    onError: () => {}, // the next health check reports it
  })
}

/** The settings keep one search from using every processor of the database. */
function connectSearchDatabase({ databaseUrl }: Config, log: Log): Database {
  return connectDatabase({
    url: databaseUrl,
    poolSize: searchesAtOnce,
    name: 'voucher-service search',
    timeoutMs: searchTimeoutMs,
    settings: { max_parallel_workers_per_gather: '0', jit: 'off' },
    onError: (err) => log.warn({ err }, connectionLost),
  })
}

/** Redis counts requests if it is configured; PostgreSQL counts them otherwise, and while Redis cannot be reached. */
function connectLimiter(config: Config, db: Database, log: Log): { limiter: Limiter; disconnect: () => void } {
  const countInPostgres = postgresCounter(db)
  if (config.redisUrl === undefined) return { limiter: createLimiter(countInPostgres), disconnect: () => {} }
  const redis = redisCounter({
    url: config.redisUrl,
    prefix: config.redisPrefix,
    onError: (err) =>
      log.warn(
        { err },
        'Redis does not answer, so PostgreSQL counts requests; check REDIS_URL and that Redis is running',
      ),
  })
  return { limiter: createLimiter(redis.count, countInPostgres), disconnect: redis.close }
}
