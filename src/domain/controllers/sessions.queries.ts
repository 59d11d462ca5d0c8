import type { Queryable } from '#db/database.ts'

/** A controller allows five sign-ins a minute, successful or not. One is reserved for people and for a sign-in that is late. */
const signInsPerMinute = 4
/** Longer than a sign-in may take: a process that holds the lease longer than this has died. */
const leaseSql = `interval '10 seconds'`

export type SessionRow = {
  sessionId: string | null
  encrypted: string | null
  somebodySignsIn: boolean
  /** Why no sign-in is tried for a while. */
  pausedBy: string | null
  budgetIsSpent: boolean
}

const recentSignInsSql = `(select count(*) from unnest(sign_ins) as at where at > now() - interval '1 minute')`

export async function findSession(db: Queryable, controllerId: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(
    `select session_id as "sessionId", session as encrypted,
            coalesce(signing_in_until > now(), false) as "somebodySignsIn",
            case when sign_in_paused_until > now() then sign_in_paused_by end as "pausedBy",
            ${recentSignInsSql} >= ${signInsPerMinute} as "budgetIsSpent"
       from controllers
      where id = $1`,
    [controllerId],
  )
  return rows[0]
}

/** Gives a lease to exactly one caller, who then signs in for all processes. Returns undefined to all others. */
export async function updateSignInStarted(
  db: Queryable,
  controllerId: string,
  knownSessionId: string | null,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ lease: Date }>(
    `update controllers
        set signing_in_until = now() + ${leaseSql},
            sign_ins = array(select at from unnest(sign_ins) as at where at > now() - interval '1 minute') || now()
      where id = $1 and session_id is not distinct from $2
        and coalesce(signing_in_until < now(), true)
        and coalesce(sign_in_paused_until < now(), true)
        and ${recentSignInsSql} < ${signInsPerMinute}
     returning signing_in_until as lease`,
    [controllerId, knownSessionId],
  )
  return rows[0]?.lease
}

/** Writes nothing when the caller has lost the lease meanwhile. */
export async function updateSignedIn(
  db: Queryable,
  controllerId: string,
  lease: Date,
  session: { id: string; encrypted: string },
): Promise<void> {
  await db.query(
    `update controllers set session_id = $3, session = $4, signing_in_until = null
      where id = $1 and signing_in_until = $2`,
    [controllerId, lease, session.id, session.encrypted],
  )
}

/** A sign-in that never reached the controller is not counted. */
export async function updateSignInFailed(
  db: Queryable,
  controllerId: string,
  lease: Date,
  outcome: { wasSent: boolean; pause: { by: string; seconds: number } | undefined },
): Promise<void> {
  const { wasSent, pause } = outcome
  await db.query(
    `update controllers
        set signing_in_until = null, sign_in_paused_by = $3, sign_in_paused_until = now() + make_interval(secs => $4),
            sign_ins = case when $5 then sign_ins else trim_array(sign_ins, 1) end
      where id = $1 and signing_in_until = $2`,
    [controllerId, lease, pause?.by ?? null, pause?.seconds ?? null, wasSent],
  )
}

/** Writes nothing when another session has replaced this one meanwhile. */
export async function updateSessionTokens(
  db: Queryable,
  controllerId: string,
  session: { id: string; encrypted: string },
): Promise<void> {
  await db.query(`update controllers set session = $3 where id = $1 and session_id = $2`, [
    controllerId,
    session.id,
    session.encrypted,
  ])
}
