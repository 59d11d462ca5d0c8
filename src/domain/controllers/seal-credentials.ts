import type { Credentials } from '#drivers/driver.ts'
import { type Keyring, open, SealBroken, seal } from '#lib/cipher.ts'
import { CommandRefused } from '../errors.ts'

/** Cloud accounts have e-mail addresses as names and ask for a second factor, which nobody is there to enter. */
export function sealCredentials(keyring: Keyring, controllerId: string, credentials: Credentials): string {
  if ('username' in credentials && credentials.username.includes('@')) {
    throw new CommandRefused(
      'A user name with @ is a cloud account, which needs a second factor. Make a local administrator on the controller and give its name.',
    )
  }
  return seal(keyring, placeOf(controllerId), JSON.stringify(credentials))
}

/** Undefined when there is none, or when what is stored does not open. */
export function openUsername(keyring: Keyring, controllerId: string, secret: string | null): string | undefined {
  if (secret === null) return undefined
  try {
    const credentials: Credentials = JSON.parse(open(keyring, placeOf(controllerId), secret))
    return 'username' in credentials ? credentials.username : undefined
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}

function placeOf(row: string) {
  return { table: 'controllers', column: 'secret', row }
}
