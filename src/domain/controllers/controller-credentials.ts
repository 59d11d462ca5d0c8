import type { Credentials, Driver } from '#drivers/driver.ts'
import { decrypt, encrypt, type Keyring, tryToDecrypt } from '#lib/cipher.ts'
import { DomainError } from '../errors.ts'

/** Rejects cloud accounts: their names are e-mail addresses, and signing in with them needs a second factor. */
export function encryptCredentials(keyring: Keyring, controllerId: string, credentials: Credentials): string {
  if ('username' in credentials) rejectCloudAccount(credentials.username)
  return encrypt(keyring, placeOf(controllerId), JSON.stringify(credentials))
}

export function rejectCloudAccount(username: string): void {
  if (username.includes('@')) throw new DomainError('cloud_account')
}

/** A driver that signs in needs a user name. A driver with an API key accepts none. */
export function checkUsername(
  driver: string,
  { credentials }: Pick<Driver, 'credentials'>,
  username: string | undefined,
): void {
  const needsLogin = credentials === 'login'
  if (needsLogin === (username !== undefined)) return
  throw new DomainError(needsLogin ? 'username_required' : 'username_not_supported', { details: { driver } })
}

export function toCredentials(username: string | undefined, secret: string): Credentials {
  return username === undefined ? { apiKey: secret } : { username, password: secret }
}

/** Returns the credentials as JSON. */
export function decryptCredentials(keyring: Keyring, controllerId: string, secret: string): string {
  return decrypt(keyring, placeOf(controllerId), secret)
}

/** Undefined when there is no username, or when the stored credentials cannot be decrypted. */
export function decryptUsername(keyring: Keyring, controllerId: string, secret: string | null): string | undefined {
  const text = secret === null ? undefined : tryToDecrypt(keyring, placeOf(controllerId), secret)
  const credentials: Partial<Credentials> = text === undefined ? {} : JSON.parse(text)
  return 'username' in credentials ? credentials.username : undefined
}

function placeOf(row: string) {
  return { table: 'controllers', column: 'secret', row }
}

/** Builds the credentials that the driver needs from what was entered. Undefined when no secret was entered. */
export function newCredentials(
  driver: { name: string; kind: Driver['credentials'] | undefined },
  entered: { secret?: string | undefined; username?: string | undefined },
  findStoredUsername: () => string | undefined,
): Credentials | undefined {
  const { secret, username } = entered
  const details = { driver: driver.name }
  if (secret === undefined && username === undefined) return undefined
  if (driver.kind === undefined) throw new DomainError('driver_not_found', { details })
  if (driver.kind !== 'login' && username !== undefined) throw new DomainError('username_not_supported', { details })
  if (secret === undefined) throw new DomainError('username_without_secret')
  if (driver.kind === 'api-key') return { apiKey: secret }
  const known = username ?? findStoredUsername()
  if (known === undefined) throw new DomainError('username_required', { details })
  return { username: known, password: secret }
}
