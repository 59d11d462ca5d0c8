import type { Behaviour } from '../behaviour.ts'
import type { Reply } from '../http/reply.ts'
import type { Session } from './sessions.ts'

/** A session as it is handed to the caller. */
type Ticket = { token: string; session: Session }

/** In what the kinds of controller differ. */
export type Flavour = {
  hasIntegrationApi: boolean
  loginPath: string
  /** Methods and paths that sign out; the first is the usual one. */
  logouts: string[]
  sessionCookie: string
  needsCsrf: boolean
  statusIsOpen: boolean
  /** The member of a sign-in that carries the second factor. */
  mfaMember: string
  /** The second step of a sign-in needs the cookie that the first one named. */
  mfaNeedsCookie: boolean
  root: Reply
  /** The path inside the Network Application; undefined when it does not see this request. */
  applicationPath(path: string): string | undefined
  /** The answer to a path outside the Network Application. */
  elsewhere(path: string, behaviour: Behaviour): Reply
  newToken(session: Session, csrfIn: Behaviour['csrfIn']): string
  signedIn(ticket: Ticket, details: { username: string; csrfIn: Behaviour['csrfIn'] }): Reply
  signedOut: Reply
  sessionLost(behaviour: Behaviour): Reply
  /** An error of the gateway in front of the Network Application. */
  gatewayError(status: number): Reply
  wrongCredentials(behaviour: Behaviour): Reply
  tooManyLogins: Reply
  mfaRequired(mfaCookie: string): Reply
}
