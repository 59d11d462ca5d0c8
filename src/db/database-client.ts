import pg from 'pg'

/**
 * Closes its connection if it cannot sign in, e.g. because the address has no password. node-postgres leaves the connection
 * open, and PostgreSQL closes it only after a minute. The process would not end before that.
 */
export class DatabaseClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
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
