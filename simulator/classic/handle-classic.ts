import { randomUUID } from 'node:crypto'
import type { Delivery, Outcome } from '../faults/deliver.ts'
import { runWithFaults } from '../faults/run-with-faults.ts'
import type { Call } from '../http/receive-call.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { tokenCookie } from './flavours.ts'
import { classicFaultReplies } from './replies.ts'
import { type Action, findAction } from './routes.ts'
import { readCookie, type Session } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { getStatus } from './site-handlers.ts'

/** Answers a request outside the Integration API. Checks session and CSRF token before a fault or the work. */
export function handleClassic(simulator: Simulator, call: Call): Delivery {
  const { flavour, behaviour, faults } = simulator
  const run = ({ operation, mac, work }: Action) =>
    runWithFaults(faults, { operation, mac, work, replies: classicFaultReplies(simulator, { operation }) })

  if (call.path === '/') return run({ operation: 'other', work: () => flavour.root })
  if (call.method === 'POST' && call.path === flavour.loginPath) {
    return run({ operation: 'login', work: () => signIn(simulator, call) })
  }
  if (flavour.logouts.includes(`${call.method} ${call.path}`)) {
    return runInSession(simulator, call, (session) => ({ operation: 'other', work: () => signOut(simulator, session) }))
  }
  const path = flavour.applicationPath(call.path)
  if (path === undefined) return { outcome: flavour.elsewhere(call.path, behaviour) }
  if (path === '/status' && flavour.statusIsOpen) return run({ operation: 'other', work: () => getStatus(simulator) })

  const action = findAction(simulator, { ...call, path })
  return isAllowedByKey(simulator, call) ? run(action) : runInSession(simulator, call, () => action)
}

function signOut({ flavour }: Simulator, session: Session): Reply {
  session.closed = true
  return flavour.signedOut
}

function isAllowedByKey({ apiKey, behaviour, flavour }: Simulator, { headers }: Call): boolean {
  return behaviour.apiKeyOnClassic && flavour.hasIntegrationApi && headers['x-api-key'] === apiKey
}

const invalidCsrfToken: Reply = { status: 403, json: { message: 'Invalid CSRF Token' } }

function runInSession(simulator: Simulator, call: Call, actionOf: (session: Session) => Action): Delivery {
  const { flavour, behaviour, sessions, faults } = simulator
  const session = sessions.find(readCookie(call.headers.cookie, flavour.sessionCookie))
  if (!session) return { outcome: sessionLost(simulator) }
  if (needsCsrf(simulator) && call.method !== 'GET' && call.headers['x-csrf-token'] !== session.csrfToken) {
    return { outcome: behaviour.gateway403 ? flavour.gatewayError(403) : invalidCsrfToken }
  }
  const { operation, mac, work } = actionOf(session)
  const replies = classicFaultReplies(simulator, { operation, session })
  const { outcome, ...rest } = runWithFaults(faults, { operation, mac, work, replies })
  return { ...rest, outcome: rotateCsrf(simulator, session, outcome) }
}

function sessionLost({ behaviour, flavour }: Simulator): Reply {
  const reply = flavour.sessionLost(behaviour)
  return behaviour.csrfWith401 ? { ...reply, headers: { 'x-csrf-token': randomUUID() } } : reply
}

function needsCsrf({ behaviour, flavour }: Simulator): boolean {
  return behaviour.csrfIn !== 'nowhere' && (flavour.needsCsrf || behaviour.strictCsrf)
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
