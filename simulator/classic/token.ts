import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Session } from './sessions.ts'

const secret = randomBytes(32)
const userId = randomUUID()

/** A JSON Web Token with the claims of a real console; no two are equal. */
export function newJsonWebToken({ csrfToken, startedAtMs, expiresAtMs }: Session): string {
  const seconds = { iat: Math.floor(startedAtMs / 1000), exp: Math.floor(expiresAtMs / 1000) }
  const claims = { userId, passwordRevision: 1, csrfToken, jti: randomUUID(), ...seconds }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
