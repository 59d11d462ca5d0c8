import { randomBytes } from 'node:crypto'
import { htmlPage } from '../http/html-page.ts'
import type { Flavour } from './flavour.ts'
import { failure, ok } from './meta-reply.ts'

/** The Network Application on its own, without a console in front and without the Integration API. */
export const selfHostedFlavour: Flavour = {
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
