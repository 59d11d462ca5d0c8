import { connectDatabase, createDatabaseClock, type Database, type DatabaseOptions } from '#db/database.ts'
import type { Controllers } from '#domain/controllers/controllers.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { type Calendar, type Clock, createCalendar } from '#lib/clock.ts'
import type { Queue } from '#queue/queue.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Connects to a database for one piece of work, with one connection unless `options` has another number. */
export async function withConnection<T>(
  options: Partial<DatabaseOptions> & { url: string },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = connectDatabase({ poolSize: 1, onError: () => {}, ...options })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Connects to the database of the settings for one piece of work. */
export async function withDatabase<T>(
  { env }: Terminal,
  work: (db: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env)
  const { databaseUrl: url, databasePreparedStatements: preparedStatements } = config
  return withConnection({ url, preparedStatements, poolSize: 2 }, (db) => work(db, config))
}

/**
 * Connects to the database for commands that encrypt or decrypt secrets. First checks that ENCRYPTION_KEYS decrypts the
 * stored secrets: a secret stored under a wrong key would stop the service from starting.
 */
export async function withKeyring<T>(
  terminal: Terminal,
  work: (db: Database, config: Config) => Promise<T>,
): Promise<T> {
  return withDatabase(terminal, async (db, config) => {
    await checkKeyring(db, config.encryptionKeys)
    return work(db, config)
  })
}

export type ControllerTools = { db: Database; controllers: Controllers; addressPolicy: AddressPolicy }

export type RecordingTools = ControllerTools & { clock: Clock; today: Calendar }

/** Connects commands to controllers. They share the sessions of the running service, so they rarely sign in. */
export async function withControllers<T>(terminal: Terminal, work: (tools: RecordingTools) => Promise<T>): Promise<T> {
  const { drivers } = await import('#drivers/registry.ts')
  const { createControllerAddressPolicy } = await import('#drivers/controller-address-policy.ts')
  const { createControllers } = await import('#domain/controllers/controllers.ts')
  return withKeyring(terminal, async (db, config) => {
    const addressPolicy = createControllerAddressPolicy(config)
    const clock = createDatabaseClock(db)
    const controllers = createControllers({ drivers, db, keyring: config.encryptionKeys, addressPolicy, clock })
    try {
      await clock.start()
      return await work({ db, controllers, addressPolicy, clock, today: createCalendar(config.timeZone) })
    } finally {
      clock.stop()
      await controllers.close()
    }
  })
}

/** Connects to the queue, for commands that leave work to the worker. */
export async function withQueue<T>(config: Config, work: (queue: Queue) => Promise<T>): Promise<T> {
  const { createQueue } = await import('#queue/queue.ts')
  const queue = createQueue({
    url: config.databaseDirectUrl ?? config.databaseUrl,
    supervise: false,
    onError: () => {},
  })
  await queue.start()
  try {
    return await work(queue)
  } finally {
    await queue.stop()
  }
}
