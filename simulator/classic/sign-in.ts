import { randomBytes } from 'node:crypto'
import type { Call } from '../http/call.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { readCookie } from './sessions.ts'

export type SignInResult = 'ok' | 'wrong-credentials' | 'limited' | 'mfa-required'

const mfaCookieName = 'UBIC_2FA'
const mfaCookieValue = randomBytes(12).toString('hex')
const rightMfaToken = '123456'

/** Answers a sign-in and writes it down. */
export function signIn(simulator: Simulator, call: Call): Reply {
  const body = isObject(call.body) ? call.body : {}
  const result = judge(simulator, body, call)
  const { username } = body
  const at = new Date(simulator.store.clock.now()).toISOString()
  simulator.signIns.push({ at, username: typeof username === 'string' ? username : null, result })
  return replies[result](simulator)
}

function judge({ account, behaviour, flavour, mayLogIn }: Simulator, body: JsonObject, call: Call): SignInResult {
  if (!mayLogIn()) return 'limited'
  if (body['username'] !== account.username || body['password'] !== account.password) return 'wrong-credentials'
  if (!isRightKind(account, body)) return 'wrong-credentials'
  if (!behaviour.mfa) return 'ok'
  const isSecondStep = !flavour.mfaNeedsCookie || readCookie(call.headers.cookie, mfaCookieName) === mfaCookieValue
  return isSecondStep && body[flavour.mfaMember] === rightMfaToken ? 'ok' : 'mfa-required'
}

/** A hotspot operator must sign in as such, to its own site. One public client sends the flag as text. */
function isRightKind({ hotspotSite }: Simulator['account'], body: JsonObject): boolean {
  const asOperator = body['for_hotspot'] === true || body['for_hotspot'] === 'true'
  return hotspotSite === undefined ? !asOperator : asOperator && body['site_name'] === hotspotSite
}

const replies: Record<SignInResult, (simulator: Simulator) => Reply> = {
  ok({ account, behaviour, flavour, sessions }) {
    const session = sessions.open()
    const token = flavour.newToken(session, behaviour.csrfIn)
    sessions.addToken(token, session)
    return flavour.signedIn({ token, session }, { username: account.username, csrfIn: behaviour.csrfIn })
  },
  'wrong-credentials': ({ behaviour, flavour }) => flavour.wrongCredentials(behaviour),
  limited: ({ flavour }) => flavour.tooManyLogins,
  'mfa-required': ({ flavour }) => flavour.mfaRequired(`${mfaCookieName}=${mfaCookieValue}`),
}
