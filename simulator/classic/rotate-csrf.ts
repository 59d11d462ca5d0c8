import { randomUUID } from 'node:crypto'
import type { Outcome } from '../faults/outcome.ts'
import type { Simulator } from '../simulator.ts'
import { tokenCookie } from './console-flavour.ts'
import type { Session } from './sessions.ts'

/** While the behaviour asks for it, an answer gives a new CSRF token, and the one before is stale. */
export function rotateCsrf(simulator: Simulator, session: Session, outcome: Outcome): Outcome {
  const { behaviour, flavour, sessions } = simulator
  if (typeof outcome === 'string' || 'hugeAfter' in outcome) return outcome
  if (!flavour.needsCsrf || !behaviour.rotateCsrf || session.closed) return outcome

  if (typeof behaviour.rotateCsrf === 'number') behaviour.rotateCsrf--
  session.csrfToken = randomUUID()
  const headers = { ...outcome.headers }
  if (behaviour.csrfIn !== 'cookie') headers['x-updated-csrf-token'] = session.csrfToken
  if (behaviour.csrfIn !== 'header') {
    const token = flavour.newToken(session)
    sessions.addToken(token, session)
    headers['set-cookie'] = tokenCookie(token)
  }
  return { ...outcome, headers }
}
