import { randomBytes } from 'node:crypto'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Call } from '../http/receive-call.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import type { Clock } from '../store/clock.ts'
import { readCookie } from './sessions.ts'

type SignInResult = 'ok' | 'wrong-credentials' | 'limited' | 'mfa-required'

export type LoggedSignIn = { at: string; username: string | null; result: SignInResult }

/** Answers a sign-in and writes it to the log. */
export function signIn(simulator: Simulator, call: Call): Reply {
  const body = isObject(call.body) ? call.body : {}
  const result = checkSignIn(simulator, body, call)
  const { username } = body
  const at = new Date(simulator.store.clock.now()).toISOString()
  simulator.signIns.push({ at, username: typeof username === 'string' ? username : null, result })
  return replies[result](simulator)
}

const mfaCookieName = 'UBIC_2FA'
const mfaCookieValue = randomBytes(12).toString('hex')
const validMfaToken = '123456'

function checkSignIn({ account, behaviour, flavour, mayLogIn }: Simulator, body: JsonObject, call: Call): SignInResult {
  if (!mayLogIn()) return 'limited'
  if (body['username'] !== account.username || body['password'] !== account.password) return 'wrong-credentials'
  if (!isForThisAccount(account, body)) return 'wrong-credentials'
  if (!behaviour.mfa) return 'ok'
  const isSecondStep = !flavour.mfaNeedsCookie || readCookie(call.headers.cookie, mfaCookieName) === mfaCookieValue
  return isSecondStep && body[flavour.mfaMember] === validMfaToken ? 'ok' : 'mfa-required'
}

/** A hotspot operator must sign in as one, to its own site. One public client sends the flag as text. */
function isForThisAccount({ hotspotSite }: Simulator['account'], body: JsonObject): boolean {
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

const limitWindowMs = 60_000

/** The returned function counts a sign-in if it is allowed. Wrong passwords count too. 0 = no limit. */
export function createLoginLimit(clock: Clock, perMinute: number): () => boolean {
  if (perMinute === 0) return () => true
  let countedAtMs: number[] = []
  return () => {
    const nowMs = clock.now()
    countedAtMs = countedAtMs.filter((atMs) => nowMs - atMs < limitWindowMs)
    if (countedAtMs.length >= perMinute) return false
    countedAtMs.push(nowMs)
    return true
  }
}
