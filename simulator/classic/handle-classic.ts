import { randomUUID } from 'node:crypto'
import type { Operation } from '../faults/fault.ts'
import type { Outcome, Performance } from '../faults/outcome.ts'
import { perform } from '../faults/perform.ts'
import type { Call } from '../http/call.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { tokenCookie } from './console-flavour.ts'
import { classicDialect } from './fault-dialect.ts'
import { findAction } from './routes.ts'
import { readCookie, type Session } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { getStatus } from './site-handlers.ts'

/** One request outside the Integration API: sign-in, or session and CSRF token, then a fault or the work. */
export function handleClassic(simulator: Simulator, call: Call): Performance {
  const { flavour, behaviour, faults } = simulator
  const run = ({ operation, work }: Action) =>
    perform(faults, { operation, work, dialect: classicDialect(simulator, { operation }) })

  if (call.path === '/') return run({ operation: 'other', work: () => flavour.root })
  if (call.method === 'POST' && call.path === flavour.loginPath) {
    return run({ operation: 'login', work: () => signIn(simulator, call) })
  }
  if (flavour.logouts.includes(`${call.method} ${call.path}`)) {
    return guarded(simulator, call, (session) => ({ operation: 'other', work: () => signOut(simulator, session) }))
  }
  const path = flavour.applicationPath(call.path)
  if (path === undefined) return { outcome: flavour.elsewhere(call.path, behaviour) }
  if (path === '/status' && flavour.statusIsOpen) return run({ operation: 'other', work: () => getStatus(simulator) })

  const action = findAction(simulator, { ...call, path })
  return hasKey(simulator, call) ? run(action) : guarded(simulator, call, () => action)
}

const invalidCsrfToken: Reply = { status: 403, json: { message: 'Invalid CSRF Token' } }

type Action = { operation: Operation; work: () => Reply }

function hasKey({ apiKey, behaviour, flavour }: Simulator, { headers }: Call): boolean {
  return behaviour.apiKeyOnClassic && flavour.hasIntegrationApi && headers['x-api-key'] === apiKey
}

function guarded(simulator: Simulator, call: Call, actionOf: (session: Session) => Action): Performance {
  const { flavour, behaviour, sessions, faults } = simulator
  const session = sessions.find(readCookie(call.headers.cookie, flavour.sessionCookie))
  if (!session) return { outcome: withCsrf(simulator, flavour.sessionLost(behaviour)) }
  if (needsCsrf(simulator) && call.method !== 'GET' && call.headers['x-csrf-token'] !== session.csrfToken) {
    return { outcome: behaviour.gateway403 ? flavour.gatewayError(403) : invalidCsrfToken }
  }
  const { operation, work } = actionOf(session)
  const { outcome, ...rest } = perform(faults, {
    operation,
    work,
    dialect: classicDialect(simulator, { operation, session }),
  })
  return { ...rest, outcome: rotateCsrf(simulator, session, outcome) }
}

function needsCsrf({ behaviour, flavour }: Simulator): boolean {
  return behaviour.csrfIn !== 'nowhere' && (flavour.needsCsrf || behaviour.strictCsrf)
}

function withCsrf({ behaviour }: Simulator, reply: Reply): Reply {
  return behaviour.csrfWith401 ? { ...reply, headers: { 'x-csrf-token': randomUUID() } } : reply
}

/** With `rotateCsrf`, an answer of a console gives a new CSRF token, and the previous one becomes stale. */
function rotateCsrf(simulator: Simulator, session: Session, outcome: Outcome): Outcome {
  const { behaviour, flavour, sessions } = simulator
  if (typeof outcome === 'string' || 'hugeAfter' in outcome) return outcome
  if (!flavour.needsCsrf || !behaviour.rotateCsrf || session.closed) return outcome

  if (typeof behaviour.rotateCsrf === 'number') behaviour.rotateCsrf--
  session.csrfToken = randomUUID()
  const { csrfIn } = behaviour
  const headers = { ...outcome.headers }
  if (csrfIn === 'both' || csrfIn === 'header') headers['x-updated-csrf-token'] = session.csrfToken
  if (csrfIn === 'both' || csrfIn === 'cookie') {
    const token = flavour.newToken(session, csrfIn)
    sessions.addToken(token, session)
    headers['set-cookie'] = tokenCookie(token)
  }
  return { ...outcome, headers }
}

function signOut({ flavour }: Simulator, session: Session): Reply {
  session.closed = true
  return flavour.signedOut
}
