import pg from 'pg'
import { withSessionSettings } from './session-settings.ts'

/** node-postgres sends the result of this method when it connects. Its types do not list the method. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }

/**
 * Opens every connection of the service, with the settings that its statements need.
 *
 * Closes its connection if it cannot sign in, e.g. because the address has no password. node-postgres leaves the connection
 * open, and PostgreSQL closes it only after a minute. The process would not end before that.
 */
export class DatabaseClient extends pg.Client {
  getStartupConf(): Record<string, string> {
    return withSessionSettings(getStartupConf.call(this))
  }

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
