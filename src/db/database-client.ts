import pg from 'pg'
import {
  connectionOf,
  type DatabaseHost,
  parseDatabaseAddress,
  replaceHost,
  splitDatabaseUrl,
} from '#lib/database-address.ts'
import { findServerRole, type ServerRole } from './primary.queries.ts'
import { createPrimaryFinder, type PrimaryFinder } from './primary-finder.ts'
import { withSessionSettings } from './session-settings.ts'

/** node-postgres sends the result of this method when it connects. Its types do not list the method. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }

/** Fields of a client that the types of node-postgres do not list. It reads the host and the port when it connects. */
type Internals = { host: string; port: number; connection: pg.Connection }

const askTimeoutMs = 3_000

/**
 * Opens every connection of the service, with the settings that its statements need. Connects to the address in
 * `connectionString`. The other settings apply whatever the address contains; its `options` come first, and PostgreSQL uses the
 * last value of an option. If the address has several hosts, connects to the one that accepts writes.
 *
 * Closes its connection if it cannot sign in, e.g. because the address has no password. node-postgres leaves the connection
 * open, and PostgreSQL closes it only after a minute. The process would not end before that.
 */
export class DatabaseClient extends pg.Client {
  /** A file of the address that cannot be read. The pool creates clients where nothing would catch an error of the constructor. */
  readonly #unreadable: Error | undefined
  /** Only for an address with several hosts. */
  readonly #finder: PrimaryFinder | undefined
  #at: DatabaseHost | undefined

  constructor({ connectionString = '', options = '', ...settings }: pg.ClientConfig = {}) {
    const address = parseDatabaseAddress(connectionString)
    const connection = tryToRead(() => connectionOf(address))
    super({ ...settings, ...connection.value, options: `${address.options ?? ''} ${options}`.trim() })
    this.#unreadable = connection.error
    this.#finder = address.hosts.length > 1 ? finderFor(connectionString) : undefined
    // A server that stops may end the connection together with its first answer, before anybody who uses it listens. Without a
    // listener, that would end the process. The next statement fails instead.
    this.on('error', () => {})
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
    if (this.#finder) {
      const connected = this.#connectToPrimary(this.#finder)
      if (!callback) return connected
      connected.then(() => (callback as (error?: Error) => void)(), callback)
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

  /**
   * Says that the server did not answer, or rejected a write. With several hosts, the primary is looked for again. With one host,
   * nothing happens.
   */
  doubtServer(): void {
    if (this.#at) this.#finder?.doubt(this.#at)
  }

  async #connectToPrimary(finder: PrimaryFinder): Promise<pg.Client> {
    const at = await finder.find()
    const internals = this as unknown as Internals
    // The pool gives a connection up by destroying its socket.
    if (internals.connection.stream.destroyed) throw new Error('timeout expired while looking for the primary')
    this.#at = at
    Object.assign(internals, at)
    this.on('error', () => finder.doubt(at))
    try {
      await super.connect()
      finder.confirm(at, await findServerRole(this, askTimeoutMs))
    } catch (error) {
      finder.doubt(at)
      void this.end()
      throw error
    }
    this.once(
      'end',
      finder.watch(at, () => internals.connection.stream.destroy()),
    )
    return this
  }
}

/** Connections of different pools to the same address must agree on the primary, and only the address is known to all of them. */
const finders = new Map<string, PrimaryFinder>()

function finderFor(url: string): PrimaryFinder {
  const known = finders.get(url)
  if (known) return known
  const places = splitDatabaseUrl(url)
  const urls = new Map(places.map((place) => [place.at, place.url]))
  const finder = createPrimaryFinder({
    hosts: places.map(({ at }) => at),
    ask: (at) => askServer(urls.get(at) as string),
  })
  finders.set(url, finder)
  return finder
}

/**
 * The same address with only the host to which this process connects now. For programs that choose among several hosts in another
 * way: libpq takes the first one that accepts writes, even if it was replaced.
 */
export async function urlOfPrimary(url: string): Promise<string> {
  const isOne = parseDatabaseAddress(url).hosts.length === 1
  return isOne ? url : replaceHost(url, await finderFor(url).find())
}

/** Asks the server of an address with one host for its role, on a connection of its own. */
export async function askServer(url: string): Promise<ServerRole> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'voucher host check', // `restore` must not take it for a process of the service
    connectionTimeoutMillis: askTimeoutMs,
  })
  client.on('error', () => {})
  await client.connect()
  return findServerRole(client, askTimeoutMs).finally(() => {
    client.end().catch(() => {}) // nobody waits for it: a silent connection would never end
  })
}

function tryToRead<T>(read: () => T): { value?: T; error?: Error } {
  try {
    return { value: read() }
  } catch (error) {
    return { error: error as Error }
  }
}
