import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { Role } from '../actor.ts'
import { type IssuingLimits, issuingLimitsSql } from '../issuing-limits.ts'
import { deletePendingSignIns } from './pending-sign-ins.queries.ts'

export const maxIdleMinutes = 12 * 60
/** A session ends after 12 hours without use (earlier on a shared desk), after 7 days, or at `ends_at`, whichever comes first. */
const isLiveSql = `(s.last_seen_at > now() - make_interval(mins => coalesce(s.idle_minutes, ${maxIdleMinutes}))
  and s.created_at > now() - interval '7 days'
  and (s.ends_at is null or s.ends_at > now()))`

/** How a person proved who they are. `provider`: the company's account. `link`: a one-time link to set a password. */
export type SignInMethod = 'password' | 'link' | 'provider'

export type Credentials = {
  /** The e-mail address as PostgreSQL compares it. It differs from JavaScript: PostgreSQL turns a Turkish İ into i. */
  account: string
  /** Null if nobody has this address. */
  staffId: string | null
  passwordHash: string | null
  active: boolean
  isKnownAddress: boolean
}

/**
 * The password hash of the person with this e-mail address, and whether the person has signed in from this network before.
 */
export async function findCredentials(db: Queryable, email: string, network: string): Promise<Credentials> {
  const { rows } = await db.query<Credentials>(
    `select account, id as "staffId", password_hash as "passwordHash", coalesce(active, false) as active,
            exists (select from staff_addresses where staff_id = staff.id and address = $2) as "isKnownAddress"
       from (select lower($1::text collate natural_order) as account) as asked left join staff on lower(email collate natural_order) = account`,
    [email, network],
  )
  return rows[0] as Credentials
}

export async function findPasswordHash(db: Queryable, staffId: string): Promise<string | null> {
  const { rows } = await db.query<{ hash: string | null }>('select password_hash as hash from staff where id = $1', [
    staffId,
  ])
  return rows[0]?.hash ?? null
}

/** Locks the person until the end of the transaction. */
export async function findPasswordHashToChange(tx: Queryable, staffId: string): Promise<string | null> {
  const { rows } = await tx.query<{ hash: string | null }>(
    'select password_hash as hash from staff where id = $1 for no key update',
    [staffId],
  )
  return rows[0]?.hash ?? null
}

export type NewSession = {
  id: string
  staffId: string
  tokenSha256: Buffer
  address: string
  userAgent: string
  signedInBy: SignInMethod
  /** The latest end of the session in hours; null if only the general limits apply. */
  maxHours: number | null
  /** After how many minutes without use the session ends, if the browser is shared. */
  idleMinutes: number | null
  /** Whether the person must set up a second factor before anything else. */
  mustSetUpFactor: boolean
}

export async function insertSession(tx: Queryable, session: NewSession, network: string): Promise<void> {
  const { id, staffId, tokenSha256, address, userAgent, signedInBy, maxHours, idleMinutes, mustSetUpFactor } = session
  await tx.query(
    `insert into staff_sessions (id, staff_id, token_sha256, address, user_agent, signed_in_by, ends_at, idle_minutes,
       must_set_up_factor)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7), $8, $9)`,
    [id, staffId, tokenSha256, address, userAgent, signedInBy, maxHours, idleMinutes, mustSetUpFactor],
  )
  await tx.query(
    `insert into staff_addresses (staff_id, address) values ($1, $2)
     on conflict (staff_id, address) do update set signed_in_at = now()`,
    [staffId, network],
  )
  await updatePersonSeen(tx, staffId)
}

/** A live session with its person, and the time by the clock of the database. */
export type Session = IssuingLimits & {
  id: string
  staffId: string
  name: string
  role: Role
  allSites: boolean
  /** When the person last used the browser. */
  lastSeenAt: Date
  idleMinutes: number | null
  /** When the person last proved who they are in this session. */
  authenticatedAt: Date
  /** Whether the person must set up a second factor before anything else. */
  mustSetUpFactor: boolean
  now: Date
}

export async function findSessions(db: Queryable, tokensSha256: Buffer[]): Promise<(Session | undefined)[]> {
  const { rows } = await db.query<Session & { tokenSha256: Buffer }>(
    `select s.id, s.staff_id as "staffId", st.name, st.role, st.all_sites as "allSites",
            s.last_seen_at as "lastSeenAt", s.idle_minutes as "idleMinutes", s.authenticated_at as "authenticatedAt",
            s.must_set_up_factor as "mustSetUpFactor", ${issuingLimitsSql('st')}, now() as now, s.token_sha256 as "tokenSha256"
       from staff_sessions s join staff st on st.id = s.staff_id
      where s.token_sha256 = any ($1::bytea[]) and st.active and ${isLiveSql}`,
    [tokensSha256],
  )
  for (const row of rows) Object.freeze(row) // requests of one person share it
  return tokensSha256.map((wanted) => rows.find(({ tokenSha256 }) => wanted.equals(tokenSha256)))
}

/** Notes that the person used the browser this many seconds ago. */
export async function updateSessionSeen(
  db: Queryable,
  { id, staffId }: Pick<Session, 'id' | 'staffId'>,
  secondsAgo: number,
): Promise<void> {
  await db.query(
    'update staff_sessions set last_seen_at = greatest(last_seen_at, now() - make_interval(secs => $2)) where id = $1',
    [id, secondsAgo],
  )
  await updatePersonSeen(db, staffId)
}

async function updatePersonSeen(db: Queryable, staffId: string): Promise<void> {
  await db.query('update staff set last_seen_at = now() where id = $1', [staffId])
}

export async function updateSessionIdleMinutes(tx: Queryable, id: string, minutes: number | null): Promise<void> {
  await tx.query('update staff_sessions set idle_minutes = $2, last_seen_at = now() where id = $1', [id, minutes])
}

/** How the person of a session signed in. Undefined if the session has ended. */
export async function findSignInMethod(db: Queryable, id: string): Promise<SignInMethod | undefined> {
  const { rows } = await db.query<{ by: SignInMethod }>('select signed_in_by as by from staff_sessions where id = $1', [
    id,
  ])
  return rows[0]?.by
}

/** Notes that the person has just proved who they are. False if the session has ended. */
export async function updateSessionConfirmed(db: Queryable, staffId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update staff_sessions set authenticated_at = now() where staff_id = $1 and id = $2',
    [staffId, id],
  )
  return rowCount === 1
}

/** Lets a session do everything, after its person has set up a second factor. False if the session has ended. */
export async function updateSessionHasFactor(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('update staff_sessions set must_set_up_factor = false where id = $1', [id])
  return rowCount === 1
}

export type OpenSession = { id: string; createdAt: Date; lastSeenAt: Date; address: string; userAgent: string }

/** The live sessions of a person, the most recently used first. */
export async function listSessions(db: Queryable, staffId: string): Promise<OpenSession[]> {
  const { rows } = await db.query<OpenSession>(
    `select s.id, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", host(s.address) as address,
            s.user_agent as "userAgent"
       from staff_sessions s where s.staff_id = $1 and ${isLiveSql} order by s.last_seen_at desc, s.id`,
    [staffId],
  )
  return rows
}

/** Returns false if the person has no such session. */
export async function deleteSession(db: Queryable, staffId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from staff_sessions where staff_id = $1 and id = $2', [staffId, id])
  return rowCount === 1
}

/** Ends the session of a token, whoever it belongs to. */
export async function deleteSessionOfToken(db: Queryable, tokenSha256: Buffer): Promise<void> {
  await db.query('delete from staff_sessions where token_sha256 = $1', [tokenSha256])
}

/** Ends the sessions of a person, except one, and sign-ins without the second step. Returns how many sessions there were. */
export async function deleteSessions(db: Queryable, staffId: string, exceptId: string | null): Promise<number> {
  await deletePendingSignIns(db, staffId)
  const { rowCount } = await db.query(
    'delete from staff_sessions where staff_id = $1 and ($2::uuid is null or id <> $2)',
    [staffId, exceptId],
  )
  return rowCount ?? 0
}

/** A session that reached its 7 days is not used again, so it is deleted 12 hours later at the latest. */
export const endedSessions: Retention = {
  table: 'staff_sessions',
  key: 'id',
  since: 'last_seen_at',
  keptFor: `interval '${maxIdleMinutes} minutes'`,
}

export const expiredLinks: Retention = {
  table: 'password_links',
  key: 'staff_id',
  since: 'expires_at',
  keptFor: `interval '0'`,
}

/** Sign-ins from an address that is no longer known have a stricter limit. */
export const knownAddresses: Retention = {
  table: 'staff_addresses',
  key: 'staff_id, address',
  since: 'signed_in_at',
  keptFor: `interval '90 days'`,
}
