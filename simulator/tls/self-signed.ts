import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { encode, objectId, sequence, tag, tagged, utcTime } from './der.ts'

export type Identity = { key: string; certificate: string; fingerprint256: string }

const dayMs = 86_400_000
const validDays = 825

/** A new key and a certificate that vouches for itself, as a controller has on its first day. Needs no other program. */
export function createSelfSigned(): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
  const name = sequence(encode(tag.set, sequence(objectId('2.5.4.3'), encode(tag.utf8String, 'unifi.local'))))
  const now = Date.now()
  const content = sequence(
    tagged(0, encode(tag.integer, Buffer.from([2]))), // version 3
    encode(tag.integer, Buffer.from([1]), randomBytes(8)), // the leading 1 keeps it positive
    ecdsaWithSha256,
    name,
    sequence(utcTime(new Date(now - dayMs)), utcTime(new Date(now + validDays * dayMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(subjectAltName())),
  )
  const signature = encode(tag.bitString, Buffer.from([0]), sign('sha256', content, privateKey))
  const certificate = new X509Certificate(sequence(content, ecdsaWithSha256, signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: certificate.toString(),
    fingerprint256: certificate.fingerprint256,
  }
}

function subjectAltName(): Buffer {
  const dnsName = 0x82
  const ipAddress = 0x87
  const names = sequence(
    encode(dnsName, 'unifi.local'),
    encode(dnsName, 'localhost'),
    encode(ipAddress, Buffer.from([127, 0, 0, 1])),
  )
  return sequence(objectId('2.5.29.17'), encode(tag.octetString, names))
}
