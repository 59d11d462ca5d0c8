import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The first key seals new values; all of them open old ones. */
export type Keyring = { currentId: string; keys: ReadonlyMap<string, Buffer> }

/** Where a value is stored. It is authenticated, so a value moved to another row or column does not open. */
export type Place = { table: string; column: string; row: string }

export class SealBroken extends Error {
  override name = 'SealBroken'
}

const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM: `v1.<key id>.<nonce, tag and ciphertext>`. */
export function seal(keyring: Keyring, place: Place, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(keyring, keyring.currentId), nonce)
  cipher.setAAD(aadOf(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `v1.${keyring.currentId}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

export function open(keyring: Keyring, place: Place, value: string): string {
  const [version, keyId = '', body = ''] = value.split('.')
  if (version !== 'v1') throw new SealBroken(`Unknown format of ${describe(place)}`)
  const key = keyOf(keyring, keyId)
  const bytes = Buffer.from(body, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    decipher.setAAD(aadOf(place))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new SealBroken(`${describe(place)} does not open with key "${keyId}"`, { cause })
  }
}

function keyOf(keyring: Keyring, id: string): Buffer {
  const key = keyring.keys.get(id)
  if (!key) throw new SealBroken(`Encryption key "${id}" is not configured`)
  return key
}

function aadOf(place: Place): Buffer {
  return Buffer.from(`${place.table}/${place.column}/${place.row}`)
}

function describe(place: Place): string {
  return `${place.table}.${place.column} of ${place.row}`
}
