import { type Logger, pino } from 'pino'
import { connectDatabase, type Database } from '#db/database.ts'
import { countKeyUsage, type KeyUsage } from '#domain/keys/key-usage.ts'
import { createLimiter, type Limiter } from '#limits/limiter.ts'
import { postgresCounter } from '#limits/postgres-counter.ts'
import { redisCounter } from '#limits/redis-counter.ts'
import type { Config } from './config.ts'

/** Everything that is connected once per process. Handed down as an argument. */
export type Context = {
  config: Config
  log: Logger
  db: Database
  limiter: Limiter
  keyUsage: KeyUsage
  close(): Promise<void>
}

export function createContext(config: Config, log: Logger = createLog(config)): Context {
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
  const keyUsage = countKeyUsage(db, config.timeZone, (err) => log.warn({ err }, 'key usage was not written'))

  return {
    config,
    log,
    db,
    limiter,
    keyUsage,
    async close() {
      await keyUsage.stop()
      redis?.close()
      await db.close()
    },
  }
}

function createLog(config: Config): Logger {
  return pino({ name: 'voucher-service', level: config.logLevel }, pino.destination({ dest: 1, sync: false }))
}
