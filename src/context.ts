import { type Logger, pino } from 'pino'
import { connectDatabase, type Database } from '#db/database.ts'
import { type Controllers, createControllers } from '#domain/controllers/controllers.ts'
import { countKeyUsage, type KeyUsage } from '#domain/keys/key-usage.ts'
import { createReceiverAddresses } from '#domain/notifications/receiver-addresses.ts'
import { createReceivers, type Receivers } from '#domain/notifications/receivers.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { drivers } from '#drivers/registry.ts'
import { createCalendar } from '#lib/calendar-date.ts'
import type { Keyring } from '#lib/cipher.ts'
import { createLimiter, type Limiter } from '#limits/limiter.ts'
import { postgresCounter } from '#limits/postgres-counter.ts'
import { redisCounter } from '#limits/redis-counter.ts'
import { createQueue, type Queue } from '#queue/queue.ts'
import type { Config } from './config.ts'

/** Everything that is connected once per process. Handed down as an argument. */
export type Context = {
  config: Config
  log: Logger
  db: Database
  limiter: Limiter
  keyUsage: KeyUsage
  keyring: Keyring
  controllers: Controllers
  receivers: Receivers
  retryScale: number
  queue: Queue
  today: (at: Date) => string
  close(): Promise<void>
}

/** `role` tells whether this process also looks after jobs; `logTo` is standard output (1) or error (2). */
export function createContext(config: Config, role: 'api' | 'worker', logTo = 1): Context {
  const log = pino({ name: 'voucher-service', level: config.logLevel }, pino.destination({ dest: logTo, sync: false }))
  const db = connectDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    onError: (err) => log.warn({ err }, 'a connection to PostgreSQL was lost'),
  })
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
  const keyUsage = countKeyUsage(db, today, (err) => log.warn({ err }, 'key usage was not written'))

  const controllers = createControllers({
    drivers,
    db,
    keyring: config.encryptionKeys,
    addressPolicy: createControllerAddressPolicy(config),
  })
  const receivers = createReceivers(createReceiverAddresses(config))
  const queue = createQueue({
    url: config.databaseUrl,
    supervise: role === 'worker',
    onError: (err) => log.warn({ err }, 'the queue met an error'),
  })

  return {
    config,
    log,
    db,
    limiter,
    keyUsage,
    keyring: config.encryptionKeys,
    controllers,
    receivers,
    retryScale: config.webhookRetryScale,
    queue,
    today,
    async close() {
      await controllers.drain()
      await queue.stop()
      await keyUsage.stop()
      await controllers.close()
      await receivers.close()
      redis?.close()
      await db.close()
    },
  }
}
