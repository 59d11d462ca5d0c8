import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Behaviour } from '../behaviour.ts'
import { gatewayError } from '../http/gateway-error.ts'
import { htmlPage } from '../http/html-page.ts'
import type { Flavour } from './flavour.ts'
import type { Session } from './sessions.ts'

const prefix = '/proxy/network'
const secret = randomBytes(32)
const userId = randomUUID()

/** UniFi OS: a gateway handles sign-ins and sessions; the Network Application is behind it. */
export const consoleFlavour: Flavour = {
  hasIntegrationApi: true,
  loginPath: '/api/auth/login',
  logouts: ['POST /api/auth/logout'],
  sessionCookie: 'TOKEN',
  needsCsrf: true,
  statusIsOpen: false,
  mfaMember: 'token',
  mfaNeedsCookie: true,
  root: htmlPage(200, 'UniFi OS'),
  applicationPath(path) {
    if (path === '/api/users/self') return path
    return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined
  },
  elsewhere(path, { oldController }) {
    if (path === '/api/login') return gatewayError(oldController ? 403 : 401)
    return gatewayError(404)
  },
  newToken: newJsonWebToken,
  signedIn: ({ token, session }, { username, csrfIn }) => ({
    status: 200,
    headers: {
      'set-cookie': tokenCookie(token),
      ...((csrfIn === 'both' || csrfIn === 'header') && { 'x-csrf-token': session.csrfToken }),
    },
    json: { username, full_name: '', isOwner: false, local_account_exist: true },
  }),
  signedOut: { status: 200, headers: { 'set-cookie': `${tokenCookie('')}; Max-Age=0` }, json: {} },
  sessionLost: ({ gateway403 }) => gatewayError(gateway403 ? 403 : 401),
  gatewayError,
  wrongCredentials: ({ oldController }) => ({
    status: 403,
    json: oldController
      ? { code: 'AUTHENTICATION_FAILED', message: 'Authentication failed' }
      : { code: 'AUTHENTICATION_FAILED_INVALID_CREDENTIALS', message: 'Invalid username or password' },
  }),
  tooManyLogins: {
    status: 429,
    json: {
      code: 'AUTHENTICATION_FAILED_LIMIT_REACHED',
      message: "You've reached the login attempt limit",
      level: 'debug',
    },
  },
  mfaRequired: (mfaCookie) => ({
    status: 499,
    json: {
      code: 'MFA_AUTH_REQUIRED',
      message: 'MFA token required to authenticate to SSO',
      data: { required: '2fa', mfaCookie, authenticators: [{ id: '1', type: 'totp', status: 'active' }] },
    },
  }),
}

/** `Partitioned` is what breaks some cookie jars. */
export function tokenCookie(token: string): string {
  return `TOKEN=${token}; path=/; samesite=none; secure; httponly; Partitioned`
}

/** A JSON Web Token with the claims of a real console; no two are equal. */
function newJsonWebToken({ csrfToken, startedAtMs, expiresAtMs }: Session, csrfIn: Behaviour['csrfIn']): string {
  const claims = {
    userId,
    passwordRevision: 1,
    ...((csrfIn === 'both' || csrfIn === 'cookie') && { csrfToken }),
    jti: randomUUID(),
    iat: Math.floor(startedAtMs / 1000),
    exp: Math.floor(expiresAtMs / 1000),
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
