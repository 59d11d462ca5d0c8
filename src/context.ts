import { type Logger, pino } from 'pino'
import { connectDatabase, type Database, isReachable } from '#db/database.ts'
import { createDatabaseClock, type DatabaseClock } from '#db/database-clock.ts'
import { type Controllers, createControllers } from '#domain/controllers/controllers.ts'
import { type Authenticate, createAuthenticate } from '#domain/keys/authenticate.ts'
import { countKeyUsage, type KeyUsage } from '#domain/keys/key-usage.ts'
import { createReceiverAddresses } from '#domain/notifications/receiver-addresses.ts'
import { createReceivers, type Receivers } from '#domain/notifications/receivers.ts'
import { createSearches, type Searches } from '#domain/vouchers/searches.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { drivers } from '#drivers/registry.ts'
import { createCalendar } from '#lib/calendar-date.ts'
import type { Keyring } from '#lib/cipher.ts'
import { createLimiter, type Limiter } from '#limits/limiter.ts'
import { postgresCounter } from '#limits/postgres-counter.ts'
import { redisCounter } from '#limits/redis-counter.ts'
import { createQueue, type Queue } from '#queue/queue.ts'
import { createQueueWatch, type QueueWatch, type WatchTimes } from '#worker/queue-watch.ts'
import type { Config } from './config.ts'

/** Everything that is connected once per process. Handed down as an argument. */
export type Context = {
  config: Config
  log: Logger
  db: Database
  /** The database's time. Before `start` it is the machine's. */
  clock: DatabaseClock
  /** A connection for health checks only, so that they never wait for the pool of `db`. It is made for the first check. */
  healthDb: Database
  searches: Searches
  authenticate: Authenticate
  limiter: Limiter
  keyUsage: KeyUsage
  keyring: Keyring
  controllers: Controllers
  receivers: Receivers
  retryScale: number
  queue: Queue
  queueWatch: QueueWatch
  today: (at: Date) => string
  close(): Promise<void>
}

const healthTimeoutMs = 2_000
const searchTimeoutMs = 3_000
const searchesAtOnce = 2

type ContextOptions = { logTo?: 1 | 2; watchTimes?: WatchTimes | undefined }

/** `role` tells whether this process also looks after jobs; `logTo` is standard output (1) or error (2). */
export function createContext(
  config: Config,
  role: 'api' | 'worker',
  { logTo = 1, watchTimes }: ContextOptions = {},
): Context {
  const log = pino({ name: 'voucher-service', level: config.logLevel }, pino.destination({ dest: logTo, sync: false }))
  const db = connectDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    onError: (err) => log.warn({ err }, 'a connection to PostgreSQL was lost'),
  })
  const clock = createDatabaseClock(db)
  const healthDb = connectDatabase({
    url: config.databaseUrl,
    poolSize: 1,
    minIdle: 1, // a server that takes no more connections does not make a process unready that has one
    name: 'voucher-service health',
    timeoutMs: healthTimeoutMs,
    onError: () => {}, // the next check finds out
  })
  const searches = createSearches(
    connectDatabase({
      url: config.databaseUrl,
      poolSize: searchesAtOnce,
      name: 'voucher-service search',
      timeoutMs: searchTimeoutMs,
      settings: { max_parallel_workers_per_gather: '0', jit: 'off' }, // else one search takes every processor
      onError: (err) => log.warn({ err }, 'a connection to PostgreSQL was lost'),
    }),
  )
  const redis =
    config.redisUrl === undefined
      ? undefined
      : redisCounter({
          url: config.redisUrl,
          prefix: config.redisPrefix,
          onError: (err) => log.warn({ err }, 'Redis is out of reach; PostgreSQL counts'),
        })
  const inPostgres = postgresCounter(db)
  const limiter = redis ? createLimiter(redis.count, inPostgres) : createLimiter(inPostgres)
  const today = createCalendar(config.timeZone)
  const keyUsage = countKeyUsage({ db, clock, today }, (err) => log.warn({ err }, 'key usage was not written'))

  const controllers = createControllers({
    drivers,
    db,
    keyring: config.encryptionKeys,
    addressPolicy: createControllerAddressPolicy(config),
    clock,
  })
  const receivers = createReceivers(createReceiverAddresses(config))
  const queue = createQueue({
    url: config.databaseUrl,
    supervise: role === 'worker',
    onError: (err) => log.warn({ err }, 'the queue met an error'),
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
    limiter,
    keyUsage,
    keyring: config.encryptionKeys,
    controllers,
    receivers,
    retryScale: config.webhookRetryScale,
    queue,
    queueWatch,
    today,
    async close() {
      await controllers.drain()
      await queue.stop()
      await keyUsage.stop()
      await controllers.close()
      await receivers.close()
      redis?.close()
      clock.stop()
      await healthDb.close()
      await searches.close()
      await db.close()
    },
  }
}
