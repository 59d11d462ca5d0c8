import type { Clock } from '#lib/clock.ts'
import { ControllerError } from '../driver.ts'
import { leaving, refusalOf } from '../failures.ts'
import type { Http, HttpReply } from '../http.ts'
import { type FlavourName, flavours } from './flavours.ts'
import { cookieOf, type Tokens, updatedBy } from './tokens.ts'

const timeoutMs = 6_000

export type Login = { username: string; password: string }

/** Whatever fails, no voucher was asked for. */
export async function signIn(http: Http, login: Login, flavour: FlavourName, clock: Clock): Promise<Tokens> {
  return trySignIn(http, login, flavour, clock).catch(leaving('refused'))
}

async function trySignIn(
  http: Http,
  { username, password }: Login,
  flavour: FlavourName,
  clock: Clock,
): Promise<Tokens> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const { loginPath: path, rememberMember, cookie: name } = flavours[flavour]
  const body = { username, password, [rememberMember]: true }
  const reply = await http.request({ method: 'POST', path, headers: {}, body, deadline })
  if (reply.status !== 200) throw failureOf(reply, flavour)
  const cookie = cookieOf(reply, name)
  if (cookie === undefined) throw new ControllerError('failed', 'refused', 'The sign-in gave no session')
  return updatedBy(reply, { flavour, cookie, csrf: null, signedInAt: clock.now().getTime(), adminName: null })
}

/** Wrong credentials are 403 on a console and 400 on a self-hosted application; a second factor is 499 or 400. */
function failureOf({ status, text }: HttpReply, flavour: FlavourName): ControllerError {
  if (status === 499 || text.includes('2fa'))
    return new ControllerError('sign_in', 'refused', 'This account needs a second factor: use a local administrator')
  if (status === 401 || status === 403 || (status === 400 && flavour === 'self-hosted'))
    return new ControllerError('sign_in', 'refused', `User name or password is wrong (status ${status})`)
  return refusalOf(status)
}
