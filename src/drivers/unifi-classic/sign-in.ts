import type { Clock } from '#lib/clock.ts'
import { ControllerError, rethrowAs } from '../driver.ts'
import { errorForStatus, type HttpClient, type HttpReply } from '../http-base/http-client.ts'
import { cookieOf, type FlavourName, flavours, type Tokens, updatedBy } from './tokens.ts'
import { reasonFromWire } from './wire.ts'

const timeoutMs = 6_000
const wrongLogin = 'User name or password is wrong'

export type Login = { username: string; password: string }

/** `site`: the site to sign in to if the account is a hotspot operator. `wasOperator`: the last sign-in was as an operator. */
type SignInTarget = { flavour: FlavourName; site: string; wasOperator: boolean }

/** Signs in. Every failure is `refused`, because no voucher was requested yet. */
export async function signIn(http: HttpClient, login: Login, target: SignInTarget, clock: Clock): Promise<Tokens> {
  return trySignIn(http, login, target, clock).catch(rethrowAs('refused'))
}

/**
 * Detects the flavour by the answer to `GET /`. The CSRF token in that answer cannot be used for this, because consoles send
 * none since version 3.2.
 */
export async function detectFlavour(http: HttpClient, deadline: AbortSignal): Promise<FlavourName> {
  const { status, headers } = await http.request({ method: 'GET', path: '/', headers: { accept: '*/*' }, deadline })
  if (status === 200) return 'console'
  if (status === 302 && /^(https?:\/\/[^/]+)?\/manage\b/.test(String(headers['location']))) return 'self-hosted'
  const message = `No UniFi controller answers there, or not yet (status ${status})`
  throw new ControllerError('failed', 'refused', message, { ...(status < 500 && { checkCause: 'wrong_driver' }) })
}

/**
 * A self-hosted application rejects a hotspot operator like a wrong password, unless the request has `for_hotspot`. So a
 * rejected sign-in is retried once: as an operator if the first one was as an administrator, and the other way round.
 * Controllers limit sign-ins, so the session stores which way worked.
 */
async function trySignIn(http: HttpClient, login: Login, target: SignInTarget, clock: Clock): Promise<Tokens> {
  const { flavour, site, wasOperator } = target
  const deadline = AbortSignal.timeout(timeoutMs)
  const { loginPath: path, rememberMember } = flavours[flavour]
  const post = (hotspotSite: string | null) => {
    const kind = hotspotSite === null ? { [rememberMember]: true } : { for_hotspot: true, site_name: hotspotSite }
    return http.request({ method: 'POST', path, headers: {}, body: { ...login, ...kind }, deadline })
  }
  const readTokens = (reply: HttpReply, hotspotSite: string | null) =>
    tokensOf(reply, { flavour, hotspotSite, signedInAt: clock.now().getTime() })

  const [likelySite, otherSite] = wasOperator ? [site, null] : [null, site]
  const first = await post(likelySite)
  if (flavour === 'console' || reasonFromWire(first.text) !== 'api.err.Invalid') return readTokens(first, likelySite)
  const second = await post(otherSite).catch(() => first)
  return second.status === 200 || second.status === 429 ? readTokens(second, otherSite) : readTokens(first, likelySite)
}

function tokensOf(reply: HttpReply, session: Pick<Tokens, 'flavour' | 'hotspotSite' | 'signedInAt'>): Tokens {
  if (reply.status !== 200) throw signInError(reply, session.flavour)
  const cookie = cookieOf(reply, flavours[session.flavour].cookie)
  if (cookie === undefined) throw new ControllerError('failed', 'refused', 'The sign-in gave no session')
  return updatedBy(reply, { ...session, cookie, csrf: null, adminName: null })
}

/** A console answers wrong credentials with 403, a self-hosted application with 400. A second factor gives 499 or 400. */
function signInError({ status, text }: HttpReply, flavour: FlavourName): ControllerError {
  if (status === 499 || text.includes('2fa'))
    return new ControllerError('sign_in', 'refused', 'This account needs a second factor: use a local administrator', {
      checkCause: 'second_factor',
    })
  if (status === 400 && flavour === 'self-hosted')
    return new ControllerError(
      'sign_in',
      'refused',
      `${wrongLogin}, or the account is a hotspot operator of another site (status 400)`,
    )
  if (status === 401 || status === 403)
    return new ControllerError('sign_in', 'refused', `${wrongLogin} (status ${status})`)
  if (status === 404)
    return new ControllerError('missing', 'refused', 'No UniFi controller answers there (status 404)', {
      checkCause: 'wrong_driver',
    })
  return errorForStatus(status)
}
