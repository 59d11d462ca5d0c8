import type { Clock } from '#lib/clock.ts'
import { ControllerError } from '../driver.ts'
import { leaving, refusalOf } from '../failures.ts'
import type { Http, HttpReply } from '../http.ts'
import { type FlavourName, flavours } from './flavours.ts'
import { cookieOf, type Tokens, updatedBy } from './tokens.ts'
import { reasonFromWire } from './wire.ts'

const timeoutMs = 6_000
const wrongLogin = 'User name or password is wrong'

export type Login = { username: string; password: string }

/** `site`: the site to sign in to if the account is a hotspot operator. `wasOperator`: the last sign-in was as an operator. */
type Entrance = { flavour: FlavourName; site: string; wasOperator: boolean }

/** Every failure is `refused`, because no voucher was requested yet. */
export async function signIn(http: Http, login: Login, entrance: Entrance, clock: Clock): Promise<Tokens> {
  return trySignIn(http, login, entrance, clock).catch(leaving('refused'))
}

/**
 * A self-hosted application rejects a hotspot operator like a wrong password, unless the operator signs in as such. So a
 * rejected login is retried once the other way. Sign-ins are limited, so the session stores which way worked.
 */
async function trySignIn(http: Http, login: Login, entrance: Entrance, clock: Clock): Promise<Tokens> {
  const { flavour, site, wasOperator } = entrance
  const deadline = AbortSignal.timeout(timeoutMs)
  const { loginPath: path, rememberMember } = flavours[flavour]
  const post = (hotspotSite: string | null) => {
    const kind = hotspotSite === null ? { [rememberMember]: true } : { for_hotspot: true, site_name: hotspotSite }
    return http.request({ method: 'POST', path, headers: {}, body: { ...login, ...kind }, deadline })
  }
  const read = (reply: HttpReply, hotspotSite: string | null) =>
    tokensOf(reply, { flavour, hotspotSite, signedInAt: clock.now().getTime() })

  const [usual, other] = wasOperator ? [site, null] : [null, site]
  const first = await post(usual)
  if (flavour === 'console' || reasonFromWire(first.text) !== 'api.err.Invalid') return read(first, usual)
  const second = await post(other).catch(() => first)
  return second.status === 200 || second.status === 429 ? read(second, other) : read(first, usual)
}

function tokensOf(reply: HttpReply, session: Pick<Tokens, 'flavour' | 'hotspotSite' | 'signedInAt'>): Tokens {
  if (reply.status !== 200) throw failureOf(reply, session.flavour)
  const cookie = cookieOf(reply, flavours[session.flavour].cookie)
  if (cookie === undefined) throw new ControllerError('failed', 'refused', 'The sign-in gave no session')
  return updatedBy(reply, { ...session, cookie, csrf: null, adminName: null })
}

/** Wrong credentials are 403 on a console and 400 on a self-hosted application; a second factor is 499 or 400. */
function failureOf({ status, text }: HttpReply, flavour: FlavourName): ControllerError {
  if (status === 499 || text.includes('2fa'))
    return new ControllerError('sign_in', 'refused', 'This account needs a second factor: use a local administrator')
  if (status === 400 && flavour === 'self-hosted')
    return new ControllerError(
      'sign_in',
      'refused',
      `${wrongLogin}, or the account is a hotspot operator of another site (status 400)`,
    )
  if (status === 401 || status === 403)
    return new ControllerError('sign_in', 'refused', `${wrongLogin} (status ${status})`)
  return refusalOf(status)
}
