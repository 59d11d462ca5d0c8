import { randomUUID } from 'node:crypto'
import type { Clock } from '../store/clock.ts'

export type Session = { csrfToken: string; startedAtMs: number; expiresAtMs: number; closed: boolean }

export type Sessions = {
  open(): Session
  /** Adds a token of the session. Its older tokens stay valid. */
  addToken(token: string, session: Session): void
  find(token: string | undefined): Session | undefined
  /** Ends all sessions after this many more requests have found their session. */
  closeAll(afterRequests: number): void
}

/** Sessions end a fixed time after the sign-in, by the simulator's clock. */
export function createSessions(clock: Clock, seconds: number): Sessions {
  const byToken = new Map<string, Session>()
  let requestsLeft: number | undefined
  return {
    open() {
      const startedAtMs = clock.now()
      return { csrfToken: randomUUID(), startedAtMs, expiresAtMs: startedAtMs + seconds * 1000, closed: false }
    },
    addToken: (token, session) => void byToken.set(token, session),
    find(token) {
      const session = token === undefined ? undefined : byToken.get(token)
      if (!session || session.closed || clock.now() >= session.expiresAtMs) return undefined
      if (requestsLeft === undefined) return session
      if (requestsLeft > 0) {
        requestsLeft--
        return session
      }
      requestsLeft = undefined
      byToken.clear()
      return undefined
    },
    closeAll(afterRequests) {
      requestsLeft = afterRequests === 0 ? undefined : afterRequests
      if (afterRequests === 0) byToken.clear()
    },
  }
}

/** Undefined when the header has no such cookie. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? []
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
