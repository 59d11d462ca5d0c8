import { type Logger, pino } from 'pino'
import {
  connectDatabase,
  createDatabaseClock,
  type Database,
  type DatabaseClock,
  type DatabaseOptions,
  isReachable,
} from '#db/database.ts'
import { createWriteGuard, type WriteGuard } from '#db/write-guard.ts'
import type { DriverForms } from '#domain/controllers/add-controller.ts'
import { type Controllers, createControllers } from '#domain/controllers/controllers.ts'
import { type CostlyReads, createCostlyReads, reportConnections, searchConnections } from '#domain/costly-reads.ts'
import { createKnownSites, type KnownSites } from '#domain/creating/create-voucher.ts'
import { createUnsentCreations, type UnsentCreations } from '#domain/creating/unsent-creations.ts'
import { createReceivers, type Receivers } from '#domain/deliveries/receivers.ts'
import { type Authenticate, createAuthenticate } from '#domain/keys/key.ts'
import { countKeyUsage, type KeyUsage } from '#domain/keys/key-usage.ts'
import { createFindLiveSession, type FindLiveSession } from '#domain/people/sign-in.ts'
import type { FixedSettings } from '#domain/settings/house.ts'
import { createProvider, type Provider } from '#domain/single-sign-on/provider.ts'
import { createReceiverAddresses, type ReceiverAddresses } from '#domain/webhooks/receiver-url.ts'
import { createDrawing, type Drawing } from '#drawing/drawing-process.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { drivers } from '#drivers/registry.ts'
import { atMostEvery } from '#lib/at-most-every.ts'
import type { Keyring } from '#lib/cipher.ts'
import { type Calendar, type Clock, createCalendar } from '#lib/clock.ts'
import { withPriority } from '#lib/journal.ts'
import type { Log } from '#lib/log.ts'
import type { Observer } from '#lib/observer.ts'
import { type Counter, createLimiter, type Limiter, postgresCounter } from '#limits/limiter.ts'
import { redisCounter } from '#limits/redis-counter.ts'
import { usualPorts } from '#mail/mail.ts'
import { createMailAddressPolicy, type MailAddressPolicy } from '#mail/mail-address-policy.ts'
import { observeConnection, observeCounter, observeLimiter, observeReceivers } from '#metrics/observed-parts.ts'
import { createQueue, type Queue } from '#queue/queue.ts'
import { createQueueWatch, type QueueWatch, type WatchTimes } from '#worker/queue-watch.ts'
import type { Config } from './config.ts'

/** The connections and parts of a process. They are created once per process and passed down as arguments. */
export type Context = {
  config: Config
  log: Logger
  db: Database
  /** Connections for the statements of every request: key, limit and list. They never wait for creations. */
  requestDb: Database
  /** The database's time. Before `start`, it is the machine's time. */
  clock: DatabaseClock
  /** A connection for health checks only, so that they never wait for the pool of `db`. The first check opens it. */
  healthDb: Database
  searches: CostlyReads
  exports: CostlyReads
  overviews: CostlyReads
  authenticate: Authenticate
  findLiveSession: FindLiveSession
  limiter: Limiter
  keyUsage: KeyUsage
  keyring: Keyring
  /** The letter of this cell, for new keys. */
  cell: string | undefined
  fixedSettings: FixedSettings
  /** The origin at which people open the web app. */
  publicUrl: string | undefined
  mailAddressPolicy: MailAddressPolicy
  controllers: Controllers
  knownSites: KnownSites
  unsentCreations: UnsentCreations
  drivers: DriverForms
  receiverAddresses: ReceiverAddresses
  receivers: Receivers
  drawing: Drawing
  /** The provider at which people sign in; undefined if none is configured. */
  provider: Provider | undefined
  retryScale: number
  queue: Queue
  queueWatch: QueueWatch
  today: Calendar
  /** Counts what happens, if there are metrics. */
  observer: Observer | undefined
  /** The connection pools by their names, for metrics. */
  pools: Record<string, Database>
  /** Whether Redis answers, for metrics. Undefined if this process does not use Redis. */
  isRedisReachable: (() => Promise<boolean>) | undefined
  /** Starts the clock and the queue. The database must be migrated. */
  start(): Promise<void>
  close(): Promise<void>
}

const healthTimeoutMs = 2_000
const searchTimeoutMs = 3_000

type ContextOptions = {
  logTo?: 1 | 2
  isJournal?: boolean
  watchTimes?: WatchTimes | undefined
  observer?: Observer | undefined
}

/** `start` is an api and a worker in one process. */
export type Role = 'api' | 'worker' | 'start'

/**
 * A worker also retries the jobs of processes that died. `logTo` is standard output (1) or standard error (2);
 * `isJournal` says that it is connected to the journal of systemd.
 */
export function createContext(
  config: Config,
  role: Role,
  { logTo = 1, isJournal = false, watchTimes, observer }: ContextOptions = {},
): Context {
  const log = pino(
    { name: 'voucher-service', level: config.logLevel, ...(isJournal && { hooks: { streamWrite: withPriority } }) },
    pino.destination({ dest: logTo, sync: false }),
  )
  const { db, requestDb, searchDb, reportDb, healthDb, writes } = connectDatabases(config, log)
  const clock = createDatabaseClock(db)
  const {
    limiter,
    isRedisReachable,
    disconnect: disconnectLimiter,
  } = connectLimiter({ config, role, db: requestDb, log, observer })
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
    ...(observer && { observe: (connection, driver) => observeConnection(connection, driver, observer) }),
  })
  const unsentCreations = createUnsentCreations({ db, observer })
  const receiverAddresses = createReceiverAddresses(config)
  const ownReceivers = createReceivers(receiverAddresses)
  const receivers = observer ? observeReceivers(ownReceivers, observer) : ownReceivers
  const provider = connectProvider(config, clock)
  const drawing = createDrawing()
  const queue = createQueue({
    url: config.databaseDirectUrl ?? config.databaseUrl,
    supervise: role !== 'api',
    writes,
    onError: atMostEvery(60_000, (err: unknown) =>
      log.warn({ err }, 'the job queue reported an error; it continues by itself'),
    ),
  })
  const queueWatch = createQueueWatch({ queue, isDatabaseReachable: () => isReachable(healthDb) }, watchTimes)

  return {
    config,
    log,
    db,
    requestDb,
    clock,
    healthDb,
    ...createCostlyReads({ searchDb, reportDb }),
    authenticate: createAuthenticate(requestDb),
    findLiveSession: createFindLiveSession(db),
    limiter,
    keyUsage,
    keyring: config.encryptionKeys,
    cell: config.cell,
    fixedSettings: fixSettings(config),
    publicUrl: config.publicUrl,
    mailAddressPolicy: createMailAddressPolicy(config),
    controllers,
    knownSites: createKnownSites(),
    unsentCreations,
    drivers,
    receiverAddresses,
    receivers,
    drawing,
    provider,
    retryScale: config.webhookRetryScale,
    queue,
    queueWatch,
    today,
    observer,
    pools: { work: db, requests: requestDb, searches: searchDb, reports: reportDb },
    isRedisReachable,
    async start() {
      await clock.start()
      await queue.start()
    },
    async close() {
      await controllers.drain()
      await unsentCreations.stop()
      await queue.stop()
      await keyUsage.stop()
      await controllers.close()
      await receivers.close()
      await provider?.close()
      await drawing.stop()
      disconnectLimiter()
      clock.stop()
      await writes.close()
      await healthDb.close()
      await searchDb.close()
      await reportDb.close()
      await requestDb.close()
      await db.close()
    },
  }
}

/** The settings that the environment sets. */
function fixSettings(config: Config): FixedSettings {
  const { houseName, accentColor, mailServer, mailSecurity: security, mailFrom } = config
  return {
    ...(houseName !== undefined && { house_name: houseName }),
    ...(accentColor !== undefined && { accent_color: accentColor }),
    ...(mailServer && {
      mail_server: {
        host: mailServer.host,
        port: mailServer.port ?? usualPorts[security],
        security,
        username: config.mailUsername ?? null,
        password: config.mailPassword ?? null,
        certificatePin: config.mailCertificatePin ?? null,
      },
    }),
    ...(mailFrom && { mail_from: mailFrom }),
  }
}

/** Undefined if no provider is set. Nothing is sent to it before somebody signs in. */
export function connectProvider(config: Config, clock: Clock): Provider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, publicUrl } = config
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined)
    return undefined
  return createProvider({
    issuer,
    clientId,
    clientSecret,
    publicUrl,
    name: config.oidcName,
    scopes: config.oidcScopes,
    hostedDomain: config.oidcHostedDomain,
    addressPolicy: createControllerAddressPolicy(config),
    clock,
  })
}

function guardWrites(config: Config, db: Database, log: Log): WriteGuard {
  return createWriteGuard({
    url: config.databaseDirectUrl ?? config.databaseUrl,
    db,
    onChange: (isStopped) =>
      isStopped
        ? log.error({}, 'PostgreSQL does not confirm commits, so writes are rejected; check its synchronous standby')
        : log.info({}, 'PostgreSQL confirms commits again; writes are accepted'),
  })
}

/** Keeps one search, export or overview from using every processor of the database. */
const oneProcessor = { max_parallel_workers_per_gather: '0' }

/** The connections of a process. Each kind of work has its own, so that it never waits for another kind. */
function connectDatabases(config: Config, log: Log) {
  const connect = (options: Partial<DatabaseOptions> & Pick<DatabaseOptions, 'poolSize'>) =>
    connectDatabase({
      url: config.databaseUrl,
      preparedStatements: config.databasePreparedStatements,
      onError: (err) => log.warn({ err }, 'a connection to PostgreSQL was lost; the next query opens a new one'),
      ...options,
    })
  const healthDb = connect({
    poolSize: 1,
    minIdle: 1, // a connected process stays ready even if PostgreSQL accepts no more connections
    name: 'voucher-service health',
    timeoutMs: healthTimeoutMs,
    onError: () => {}, // the next health check reports it
  })
  const writes = guardWrites(config, healthDb, log)
  return {
    healthDb,
    writes,
    db: connect({ poolSize: config.databasePoolSize, writes }),
    requestDb: connect({
      poolSize: Math.ceil(config.databasePoolSize / 2),
      minIdle: 1, // one request a minute would otherwise connect and plan its statements every time
      name: 'voucher-service requests',
      // These connections run only named statements, and PostgreSQL plans each of them once. By default, it plans the list of
      // a site every time, because it estimates a high cost for one plan for all partitions.
      settings: { plan_cache_mode: 'force_generic_plan' },
    }),
    searchDb: connect({
      poolSize: searchConnections,
      name: 'voucher-service search',
      timeoutMs: searchTimeoutMs,
      settings: oneProcessor,
    }),
    /** For exports and overviews. */
    reportDb: connect({ poolSize: reportConnections, name: 'voucher-service reports', settings: oneProcessor }),
  }
}

type LimiterTools = { config: Config; role: Role; db: Database; log: Log; observer: Observer | undefined }
type ConnectedLimiter = {
  limiter: Limiter
  isRedisReachable: (() => Promise<boolean>) | undefined
  disconnect: () => void
}

/**
 * Redis counts requests if it is configured; PostgreSQL counts them otherwise, and while Redis cannot be reached. A worker counts
 * no requests, so it does not connect to Redis.
 */
function connectLimiter({ config, role, db, log, observer }: LimiterTools): ConnectedLimiter {
  const observed = (counter: Counter, store: 'redis' | 'postgresql') =>
    observer ? observeCounter(counter, store, observer) : counter
  const finish = (limiter: Limiter) => (observer ? observeLimiter(limiter, observer) : limiter)
  const inPostgres = observed(postgresCounter(db), 'postgresql')
  if (config.redisUrl === undefined || role === 'worker')
    return { limiter: finish(createLimiter(inPostgres)), isRedisReachable: undefined, disconnect: () => {} }
  const redis = redisCounter({
    url: config.redisUrl,
    prefix: config.redisPrefix,
    onError: atMostEvery(60_000, (error: Error) =>
      log.warn(
        { reason: error.message },
        'Redis does not answer, so PostgreSQL counts requests; check REDIS_URL and that Redis is running',
      ),
    ),
  })
  return {
    limiter: finish(createLimiter(observed(redis.count, 'redis'), inPostgres)),
    isRedisReachable: redis.isReachable,
    disconnect: redis.close,
  }
}
