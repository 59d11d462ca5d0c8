import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Behaviour } from '../behaviour.ts'
import { gatewayError, htmlPage, type Reply } from '../http/reply.ts'
import { failure, ok } from './replies.ts'
import type { Session } from './sessions.ts'

/** The differences between the kinds of controller. */
export type Flavour = {
  hasIntegrationApi: boolean
  loginPath: string
  /** Methods and paths that sign out. */
  logouts: string[]
  sessionCookie: string
  needsCsrf: boolean
  /** `/status` needs no session. */
  statusIsOpen: boolean
  /** The member of a sign-in that has the second factor. */
  mfaMember: string
  /** The second step of a sign-in needs the cookie that the answer to the first one names. */
  mfaNeedsCookie: boolean
  root: Reply
  /** The path inside the Network Application; undefined when the request does not reach the application. */
  applicationPath(path: string): string | undefined
  /** The answer to a path outside the Network Application. */
  elsewhere(path: string, behaviour: Behaviour): Reply
  newToken(session: Session, csrfIn: Behaviour['csrfIn']): string
  signedIn(
    created: { token: string; session: Session },
    details: { username: string; csrfIn: Behaviour['csrfIn'] },
  ): Reply
  signedOut: Reply
  sessionLost(behaviour: Behaviour): Reply
  /** An error of the gateway in front of the Network Application. */
  gatewayError(status: number): Reply
  wrongCredentials(behaviour: Behaviour): Reply
  tooManyLogins: Reply
  mfaRequired(mfaCookie: string): Reply
}

const applicationPrefix = '/proxy/network'

/** UniFi OS: a gateway handles sign-ins and sessions; the Network Application is behind it. */
const consoleFlavour: Flavour = {
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
    return path.startsWith(`${applicationPrefix}/`) ? path.slice(applicationPrefix.length) : undefined
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

/** The Network Application on its own, without a console in front and without the Integration API. */
const selfHostedFlavour: Flavour = {
  hasIntegrationApi: false,
  loginPath: '/api/login',
  logouts: ['POST /logout', 'GET /logout', 'POST /api/logout'],
  sessionCookie: 'unifises',
  needsCsrf: false,
  statusIsOpen: true,
  mfaMember: 'ubic_2fa_token',
  mfaNeedsCookie: false,
  root: { status: 302, headers: { location: '/manage' }, text: '' },
  applicationPath: (path) => (path.startsWith('/api/') || path === '/status' ? path : undefined),
  elsewhere: (path) => (path === '/manage' ? htmlPage(200, 'Network') : htmlPage(404, 'Not found')),
  newToken: () => randomBytes(24).toString('base64url'),
  signedIn: ({ token, session }, { csrfIn }) => ({
    ...ok(),
    headers: {
      'set-cookie': [
        `unifises=${token}; Path=/; Secure; HttpOnly`,
        ...(csrfIn === 'nowhere' ? [] : [`csrf_token=${session.csrfToken}; Path=/; Secure`]),
      ],
    },
  }),
  signedOut: { ...ok(), headers: { 'set-cookie': 'unifises=; Path=/; Max-Age=0' } },
  sessionLost: () => failure(401, 'api.err.LoginRequired'),
  gatewayError: (status) => htmlPage(status),
  wrongCredentials: () => failure(400, 'api.err.Invalid'),
  tooManyLogins: failure(429, 'api.err.TooManyRequests'),
  mfaRequired: (mfaCookie) =>
    failure(400, 'api.err.Ubic2faTokenRequired', [
      { default_mfa: '1', mfa_cookie: mfaCookie, authenticators: [{ id: '1', type: 'totp', status: 'active' }] },
    ]),
}

export const flavours = { console: consoleFlavour, 'self-hosted': selfHostedFlavour }

export type FlavourName = keyof typeof flavours

/** The session cookie of a console. Some cookie jars fail on its attribute `Partitioned`. */
export function tokenCookie(token: string): string {
  return `TOKEN=${token}; path=/; samesite=none; secure; httponly; Partitioned`
}

const tokenSecret = randomBytes(32)
const userId = randomUUID()

/** A JSON Web Token with the claims of a real console. Every token is different. */
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
  return `${signed}.${createHmac('sha256', tokenSecret).update(signed).digest('base64url')}`
}
