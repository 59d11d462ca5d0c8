import { createDecipheriv } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

const prefix = 'enc:v1:'
const keyBytes = 32
const boxNonceBytes = 24
const gcm = { nonceBytes: 12, tagBytes: 16 }

/** The 32 bytes of an APP_KEY, which is Base64. Undefined if the text is something else. */
export function readAppKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64')
  return key.length === keyBytes && key.toString('base64') === text ? key : undefined
}

export function isEncrypted(stored: string): boolean {
  return stored.startsWith(prefix)
}

/**
 * A password that the tool has encrypted, with libsodium's secret box or, without libsodium, with AES-256-GCM. The stored text does
 * not say which. Undefined if the key is another one.
 */
export function decryptPassword(key: Buffer, stored: string): string | undefined {
  const bytes = Buffer.from(stored.slice(prefix.length), 'base64')
  return openBox(key, bytes) ?? openGcm(key, bytes)
}

function openBox(key: Buffer, bytes: Buffer): string | undefined {
  try {
    const opened = xsalsa20poly1305(key, bytes.subarray(0, boxNonceBytes)).decrypt(bytes.subarray(boxNonceBytes))
    return Buffer.from(opened).toString('utf8')
  } catch {
    return undefined
  }
}

function openGcm(key: Buffer, bytes: Buffer): string | undefined {
  const { nonceBytes, tagBytes } = gcm
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
