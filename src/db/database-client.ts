import pg from 'pg'
import { connectionOf, parseDatabaseAddress } from '#lib/database-address.ts'
import { withSessionSettings } from './session-settings.ts'

/** node-postgres sends the result of this method when it connects. Its types do not list the method. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }

/**
 * Opens every connection of the service, with the settings that its statements need. Connects to the address in
 * `connectionString`. The other settings apply whatever the address contains; its `options` come first, and PostgreSQL uses the
 * last value of an option.
 *
 * Closes its connection if it cannot sign in, e.g. because the address has no password. node-postgres leaves the connection
 * open, and PostgreSQL closes it only after a minute. The process would not end before that.
 */
export class DatabaseClient extends pg.Client {
  /** A file of the address that cannot be read. The pool creates clients where nothing would catch an error of the constructor. */
  readonly #unreadable: Error | undefined

  constructor({ connectionString = '', options = '', ...settings }: pg.ClientConfig = {}) {
    const address = parseDatabaseAddress(connectionString)
    const connection = tryToRead(() => connectionOf(address))
    super({ ...settings, ...connection.value, options: `${address.options ?? ''} ${options}`.trim() })
    this.#unreadable = connection.error
  }

  getStartupConf(): Record<string, string> {
    return withSessionSettings(getStartupConf.call(this))
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (this.#unreadable) {
      if (!callback) return Promise.reject(this.#unreadable)
      process.nextTick(callback, this.#unreadable)
      return undefined
    }
    if (!callback)
      return super.connect().catch((error) => {
        void this.end()
        throw error
      })
    super.connect((error: Error) => {
      if (error) void this.end()
      callback(error)
    })
    return undefined
  }
}

function tryToRead<T>(read: () => T): { value?: T; error?: Error } {
  try {
    return { value: read() }
  } catch (error) {
    return { error: error as Error }
  }
}
