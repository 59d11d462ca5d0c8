import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** The current key encrypts new values. Any of the keys can decrypt old ones. */
export type Keyring = { currentId: string; keys: ReadonlyMap<string, Buffer> }

/** The place where a value is stored. It is authenticated: a value that was moved to another place cannot be decrypted. */
export type Place = { table: string; column: string; row: string }

export class DecryptionFailed extends Error {
  override name = 'DecryptionFailed'
}

const nonceBytes = 12
const tagBytes = 16

/** Encrypts with AES-256-GCM. The result is `v1.<key id>.<nonce, tag and ciphertext>`. */
export function encrypt(keyring: Keyring, place: Place, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(keyring, keyring.currentId), nonce)
  cipher.setAAD(aadOf(place))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `v1.${keyring.currentId}.${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')}`
}

export function decrypt(keyring: Keyring, place: Place, value: string): string {
  const [version, keyId = '', body = ''] = value.split('.')
  if (version !== 'v1') throw new DecryptionFailed(`${describe(place)} has an unknown format`)
  const key = keyOf(keyring, keyId)
  const bytes = Buffer.from(body, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    decipher.setAAD(aadOf(place))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new DecryptionFailed(`${describe(place)} cannot be decrypted with key "${keyId}"`, { cause })
  }
}

/** Undefined if the value cannot be decrypted. */
export function tryToDecrypt(keyring: Keyring, place: Place, value: string): string | undefined {
  try {
    return decrypt(keyring, place, value)
  } catch (error) {
    if (error instanceof DecryptionFailed) return undefined
    throw error
  }
}

function keyOf(keyring: Keyring, id: string): Buffer {
  const key = keyring.keys.get(id)
  if (!key) throw new DecryptionFailed(`Encryption key "${id}" is not configured`)
  return key
}

function aadOf(place: Place): Buffer {
  return Buffer.from(`${place.table}/${place.column}/${place.row}`)
}

function describe(place: Place): string {
  return `${place.table}.${place.column} of ${place.row}`
}

/**
 * Keyed hashes of a text, one for each key, that of the current key first. Equal texts have equal hashes, and nobody without
 * the keys can guess the text. `purpose` keeps the hashes of different uses apart.
 */
export function keyedHashes({ currentId, keys }: Keyring, purpose: string, text: string): string[] {
  const ids = [currentId, ...[...keys.keys()].filter((id) => id !== currentId)]
  return ids.map((id) => {
    const key = keys.get(id) as Buffer
    return createHmac('sha256', key).update(`${purpose}\0${text}`).digest().subarray(0, 16).toString('base64url')
  })
}

/** An HMAC of a hash with one key. Undefined when the key is not configured. `purpose` keeps the hashes of different uses apart. */
export function keyedHash({ keys }: Keyring, keyId: string, purpose: string, hash: Buffer): Buffer | undefined {
  const key = keys.get(keyId)
  return key && createHmac('sha256', key).update(`${purpose}\0`).update(hash).digest()
}
