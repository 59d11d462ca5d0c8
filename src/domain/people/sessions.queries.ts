import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { Role } from '../actor.ts'

const usableUnusedForSql = `interval '12 hours'`
/** A session ends after 12 hours without a request, and at the latest after 7 days. */
const isLiveSql = `(s.last_seen_at > now() - ${usableUnusedForSql} and s.created_at > now() - interval '7 days')`

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
}

export async function insertSession(tx: Queryable, session: NewSession, network: string): Promise<void> {
  const { id, staffId, tokenSha256, address, userAgent } = session
  await tx.query(
    `insert into staff_sessions (id, staff_id, token_sha256, address, user_agent) values ($1, $2, $3, $4, $5)`,
    [id, staffId, tokenSha256, address, userAgent],
  )
  await tx.query(
    `insert into staff_addresses (staff_id, address) values ($1, $2)
     on conflict (staff_id, address) do update set signed_in_at = now()`,
    [staffId, network],
  )
  await updatePersonSeen(tx, staffId)
}

/** A live session with its person, and the time by the clock of the database. */
export type Session = {
  id: string
  staffId: string
  name: string
  role: Role
  allSites: boolean
  lastSeenAt: Date
  now: Date
}

export async function findSessions(db: Queryable, tokensSha256: Buffer[]): Promise<(Session | undefined)[]> {
  const { rows } = await db.query<Session & { tokenSha256: Buffer }>(
    `select s.id, s.staff_id as "staffId", st.name, st.role, st.all_sites as "allSites",
            s.last_seen_at as "lastSeenAt", now() as now, s.token_sha256 as "tokenSha256"
       from staff_sessions s join staff st on st.id = s.staff_id
      where s.token_sha256 = any ($1::bytea[]) and st.active and ${isLiveSql}`,
    [tokensSha256],
  )
  for (const row of rows) Object.freeze(row) // requests of one person share it
  return tokensSha256.map((wanted) => rows.find(({ tokenSha256 }) => wanted.equals(tokenSha256)))
}

export async function updateSessionSeen(
  db: Queryable,
  { id, staffId }: Pick<Session, 'id' | 'staffId'>,
): Promise<void> {
  await db.query('update staff_sessions set last_seen_at = now() where id = $1', [id])
  await updatePersonSeen(db, staffId)
}

async function updatePersonSeen(db: Queryable, staffId: string): Promise<void> {
  await db.query('update staff set last_seen_at = now() where id = $1', [staffId])
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

/** Ends the sessions of a person, except one. Returns how many there were. */
export async function deleteSessions(db: Queryable, staffId: string, exceptId: string | null): Promise<number> {
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
  keptFor: usableUnusedForSql,
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
