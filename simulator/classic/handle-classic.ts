import { randomUUID } from 'node:crypto'
import type { Operation } from '../faults/fault.ts'
import type { Performance } from '../faults/outcome.ts'
import { perform } from '../faults/perform.ts'
import type { Call } from '../http/call.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { classicDialect } from './fault-dialect.ts'
import { readCookie } from './read-cookie.ts'
import { rotateCsrf } from './rotate-csrf.ts'
import { findAction } from './routes.ts'
import type { Session } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { getStatus } from './site-handlers.ts'

/** One request outside the Integration API: sign-in, or session and CSRF token, then a fault or the work. */
export function handleClassic(simulator: Simulator, call: Call): Performance {
  const { flavour, behaviour, faults } = simulator
  const open = (operation: Operation, work: () => Reply) =>
    perform(faults, { operation, work, dialect: classicDialect(simulator, { operation }) })

  const isPost = call.method === 'POST'
  if (call.path === '/') return open('other', () => flavour.root)
  if (isPost && call.path === flavour.loginPath) return open('login', () => signIn(simulator, call))

  const path = flavour.applicationPath(call.path)
  const isLogout = isPost && call.path === flavour.logoutPath
  if (path === undefined && !isLogout) return { outcome: flavour.elsewhere(call.path, behaviour) }
  if (path === '/status' && flavour.statusIsOpen) return open('other', () => getStatus(simulator))

  return guarded(simulator, call, (session) => {
    if (!isLogout) return findAction(simulator, { ...call, path: path ?? '' })
    return { operation: 'other', work: () => signOut(simulator, session) }
  })
}

const invalidCsrfToken: Reply = { status: 403, json: { message: 'Invalid CSRF Token' } }

type Action = { operation: Operation; work: () => Reply }

function guarded(simulator: Simulator, call: Call, actionOf: (session: Session) => Action): Performance {
  const { flavour, behaviour, sessions, faults } = simulator
  const session = sessions.find(readCookie(call.headers.cookie, flavour.sessionCookie))
  if (!session) return { outcome: withCsrf(simulator, flavour.sessionLost(behaviour)) }
  if (flavour.needsCsrf && call.method !== 'GET' && call.headers['x-csrf-token'] !== session.csrfToken) {
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

function withCsrf({ behaviour }: Simulator, reply: Reply): Reply {
  return behaviour.csrfWith401 ? { ...reply, headers: { 'x-csrf-token': randomUUID() } } : reply
}

function signOut({ flavour }: Simulator, session: Session): Reply {
  session.closed = true
  return flavour.signedOut
}
