import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { ControllerError, type Session, type SharedSession } from '#drivers/driver.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import {
  findSession,
  type SessionRow,
  updateSessionTokens,
  updateSignedIn,
  updateSignInFailed,
  updateSignInStarted,
} from './sessions.queries.ts'

const pollMs = 50
const maxWaitMs = 8_000
/**
 * Pauses after a failed sign-in. A controller that answers "too many" counts the sign-ins of the last minute, so the pause is
 * longer than a minute. A wrong password must not be repeated, or the account gets locked.
 */
const pauseSeconds: Partial<Record<string, number>> = { busy: 65, sign_in: 60 }

/**
 * The session of one controller, shared by all processes and stored encrypted in PostgreSQL. `madeFor` is everything the
 * session was made with. After a change of address or password an earlier session is ignored, so it is never sent to
 * another address.
 */
export function createSharedSession(
  db: Queryable,
  keyring: Keyring,
  controllerId: string,
  madeFor: string,
): SharedSession {
  const place = { table: 'controllers', column: 'session', row: controllerId }
  const boundTo = createHash('sha256').update(madeFor).digest('base64url')
  const encryptTokens = (tokens: string) => encrypt(keyring, place, JSON.stringify({ boundTo, tokens }))
  let renewing: { stale: string | undefined; session: Promise<Session> } | undefined

  function toSession(row: SessionRow): Session | null {
    if (row.encrypted === null || row.sessionId === null) return null
    const stored = JSON.parse(decrypt(keyring, place, row.encrypted))
    return stored.boundTo === boundTo ? { id: row.sessionId, tokens: stored.tokens } : null
  }

  async function find(): Promise<{ row: SessionRow; session: Session | null }> {
    const row = await findSession(db, controllerId)
    if (!row) throw new ControllerError('rejected', 'refused', 'The controller was removed')
    return { row, session: toSession(row) }
  }

  async function renewOnce(stale: Session | null, signIn: () => Promise<string>): Promise<Session> {
    for (const startedAt = performance.now(); performance.now() - startedAt < maxWaitMs; await pause(pollMs)) {
      const { row, session } = await find()
      if (session && session.tokens !== stale?.tokens) return session
      if (row.somebodySignsIn) continue
      rejectWhenPaused(row)
      const lease = await updateSignInStarted(db, controllerId, row.sessionId)
      if (lease) return signInForAll(lease, signIn)
    }
    throw new ControllerError('timeout', 'refused', 'Another process took too long to sign in')
  }

  async function signInForAll(lease: Date, signIn: () => Promise<string>): Promise<Session> {
    try {
      const session = { id: uuidv7(), tokens: await signIn() }
      await updateSignedIn(db, controllerId, lease, { id: session.id, encrypted: encryptTokens(session.tokens) })
      return session
    } catch (error) {
      const by = error instanceof ControllerError ? error.failure : 'failed'
      const seconds = pauseSeconds[by]
      const pause = seconds === undefined ? undefined : { by, seconds }
      await updateSignInFailed(db, controllerId, lease, { wasSent: by !== 'unreachable', pause })
      throw error
    }
  }

  return {
    find: async () => (await find().catch(rejectUnsent)).session,
    /** Callers of this process that hold the same stale tokens share one renewal. */
    renew(stale, signIn) {
      if (renewing && renewing.stale === stale?.tokens) return renewing.session
      const session = renewOnce(stale, signIn)
        .catch(rejectUnsent)
        .finally(() => {
          if (renewing?.session === session) renewing = undefined
        })
      renewing = { stale: stale?.tokens, session }
      return session
    },
    rotate: ({ id, tokens }) => updateSessionTokens(db, controllerId, { id, encrypted: encryptTokens(tokens) }),
  }
}

function rejectWhenPaused({ pausedBy, budgetIsSpent }: SessionRow): void {
  if (pausedBy === 'sign_in')
    throw new ControllerError('sign_in', 'refused', 'The last sign-in was rejected; the next is tried within a minute')
  if (pausedBy !== null) throw new ControllerError('busy', 'refused', 'The controller asked for fewer sign-ins')
  if (budgetIsSpent) throw new ControllerError('busy', 'refused', 'No more sign-ins for this minute')
}

/** Reports an error of the database as a failed call. Without a session, nothing was sent to the controller. */
function rejectUnsent(error: unknown): never {
  if (error instanceof ControllerError) throw error
  throw new ControllerError('failed', 'refused', 'The shared session cannot be read from the database', {
    cause: error,
  })
}
