import type { Credentials, Driver } from '#drivers/driver.ts'
import { CommandRefused } from '../errors.ts'

/** What the driver signs in with from now on; undefined when no secret was entered. */
export function newCredentials(
  driver: { name: string; kind: Driver['credentials'] | undefined },
  entered: { secret?: string | undefined; username?: string | undefined },
  openStoredUsername: () => string | undefined,
): Credentials | undefined {
  const { secret, username } = entered
  if (driver.kind !== 'login' && username !== undefined) throw new CommandRefused(`${driver.name} takes no --username.`)
  if (secret === undefined) {
    if (username === undefined) return undefined
    throw new CommandRefused('A user name is changed together with its password: add --secret-file or --new-secret.')
  }
  if (driver.kind === undefined) throw new CommandRefused(`No driver is called "${driver.name}".`)
  if (driver.kind === 'api-key') return { apiKey: secret }
  const known = username ?? openStoredUsername()
  if (known === undefined) throw new CommandRefused(`${driver.name} needs --username: none is stored that opens.`)
  return { username: known, password: secret }
}
