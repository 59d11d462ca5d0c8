import { type Queryable, undefinedIfTaken } from '#db/database.ts'
import type { Role } from '../actor.ts'
import { type IssuingLimits, issuingLimitsSql } from '../issuing-limits.ts'

export type Language = 'de' | 'en'
export type Theme = 'light' | 'dark' | 'auto'

export type Person = IssuingLimits & {
  id: string
  name: string
  email: string
  role: Role
  allSites: boolean
  /** Empty if the person may use all sites. */
  siteIds: number[]
  active: boolean
  language: Language | null
  theme: Theme
  createdAt: Date
  /** False until the person has set a password. */
  hasPassword: boolean
  /** The account of a provider with which the person signs in; null if there is none. */
  identity: Identity | null
  /** True if each sign-in by the provider replaces role and sites with those of the person's groups. */
  rightsFromGroups: boolean
}

/** The times are texts in ISO 8601. */
type Identity = {
  issuer: string
  /** The address that the provider sent last; null if it sent none. */
  email: string | null
  linkedAt: string
  lastSignInAt: string | null
}

export const personColumnsSql = `st.id, st.name, st.email, st.role, st.all_sites as "allSites",
  array(select site_id from staff_sites where staff_id = st.id order by site_id) as "siteIds",
  st.active, st.language, st.theme, st.created_at as "createdAt", st.rights_from_groups as "rightsFromGroups",
  ${issuingLimitsSql('st')},
  st.password_hash is not null as "hasPassword",
  (select jsonb_build_object('issuer', issuer, 'email', i.email, 'linkedAt', linked_at, 'lastSignInAt', last_sign_in_at)
     from identities i where i.staff_id = st.id) as identity`

export async function findPerson(db: Queryable, id: string): Promise<Person | undefined> {
  const { rows } = await db.query<Person>(`select ${personColumnsSql} from staff st where st.id = $1`, [id])
  return rows[0]
}

/** Locks the person until the end of the transaction. */
export async function findPersonToChange(tx: Queryable, id: string): Promise<Person | undefined> {
  await tx.query('select from staff where id = $1 for no key update', [id])
  return findPerson(tx, id) // a second statement: the first one would read the sites as they were before it waited
}

/** Undefined if another person has this e-mail address. */
export async function insertPerson(
  tx: Queryable,
  person: Pick<Person, 'id' | 'name' | 'email' | 'role' | 'allSites' | 'language'> &
    IssuingLimits & { passwordHash: string | null },
): Promise<Person | undefined> {
  const { rows } = await tx.query<Person>(
    `insert into staff as st (id, name, email, role, all_sites, language, password_hash, vouchers_per_day, longest_minutes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing
     returning ${personColumnsSql}`,
    [
      ...[person.id, person.name, person.email, person.role, person.allSites, person.language, person.passwordHash],
      ...[person.vouchersPerDay, person.longestMinutes],
    ],
  )
  return rows[0]
}

/** The people with these e-mail addresses, which are in lower case. */
export async function listPeopleByEmail(tx: Queryable, emails: string[]): Promise<{ id: string; email: string }[]> {
  const { rows } = await tx.query<{ id: string; email: string }>(
    'select id, email from staff where lower(email) = any ($1)',
    [emails],
  )
  return rows
}

/** Returns which of the ids still belong to a person. */
export async function listExistingPeople(tx: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>('select id from staff where id = any ($1)', [ids])
  return rows.map(({ id }) => id)
}

/** False if another person has this e-mail address. The transaction is aborted then. */
export async function updatePerson(
  tx: Queryable,
  {
    id,
    name,
    email,
    role,
    allSites,
    active,
    language,
    theme,
    vouchersPerDay,
    longestMinutes,
  }: Omit<Person, 'siteIds' | 'createdAt' | 'hasPassword' | 'identity' | 'rightsFromGroups'>,
): Promise<boolean> {
  const updated = await tx
    .query(
      `update staff
          set name = $2, email = $3, role = $4, all_sites = $5, active = $6, language = $7, theme = $8,
              vouchers_per_day = $9, longest_minutes = $10
        where id = $1`,
      [id, name, email, role, allSites, active, language, theme, vouchersPerDay, longestMinutes],
    )
    .catch(undefinedIfTaken)
  return updated !== undefined
}

export async function updatePasswordHash(tx: Queryable, id: string, passwordHash: string | null): Promise<void> {
  await tx.query('update staff set password_hash = $2 where id = $1', [id, passwordHash])
}

/** The manager who had access to the ways in which a person signs in; null if there was none. */
export async function findCredentialsBy(tx: Queryable, id: string): Promise<string | null> {
  const { rows } = await tx.query<{ by: string | null }>('select credentials_by as by from staff where id = $1', [id])
  return rows[0]?.by ?? null
}

export async function updateCredentialsBy(tx: Queryable, id: string, managerId: string | null): Promise<void> {
  await tx.query('update staff set credentials_by = $2 where id = $1', [id, managerId])
}

/** Replaces the sites of a person. Returns the sites that exist. */
export async function updatePersonSites(tx: Queryable, id: string, siteIds: number[]): Promise<number[]> {
  await tx.query('delete from staff_sites where staff_id = $1', [id])
  const { rows } = await tx.query<{ id: number }>(
    `insert into staff_sites (staff_id, site_id) select $1, id from sites where id = any ($2) returning site_id as id`,
    [id, siteIds],
  )
  return rows.map((row) => row.id)
}

export async function hasAdministrator(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(`select exists (select from staff where role = 'admin') as found`)
  return rows[0]?.found === true
}

type NewPasswordLink = { staffId: string; createdBy: string | null; tokenSha256: Buffer; validSeconds: number }

/** A person has one link at a time: a new one replaces the old one. */
export async function replacePasswordLink(tx: Queryable, link: NewPasswordLink): Promise<Date> {
  return (await storePasswordLink(tx, link, 'true')) as Date
}

/** Undefined if the person has a link that ends later. That one stays. */
export async function replaceShorterPasswordLink(tx: Queryable, link: NewPasswordLink): Promise<Date | undefined> {
  return storePasswordLink(tx, link, 'password_links.expires_at <= excluded.expires_at')
}

async function storePasswordLink(tx: Queryable, link: NewPasswordLink, isReplaced: string): Promise<Date | undefined> {
  const { rows } = await tx.query<{ expiresAt: Date }>(
    `insert into password_links (staff_id, token_sha256, expires_at, created_by)
     values ($1, $2, now() + make_interval(secs => $3), $4)
     on conflict (staff_id) do update
        set token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at, created_by = excluded.created_by
      where ${isReplaced}
     returning expires_at as "expiresAt"`,
    [link.staffId, link.tokenSha256, link.validSeconds, link.createdBy],
  )
  return rows[0]?.expiresAt
}

/** The person of a link; undefined if the link is unknown, used or too old, or if the person is not active. */
export async function findPersonOfLink(db: Queryable, tokenSha256: Buffer): Promise<Person | undefined> {
  const { rows } = await db.query<Person>(
    `select ${personColumnsSql} from password_links l join staff st on st.id = l.staff_id
      where l.token_sha256 = $1 and l.expires_at > now() and st.active`,
    [tokenSha256],
  )
  return rows[0]
}

/** Ends a link, and returns who created it; null is the command line. Undefined if it had ended already. */
export async function deletePasswordLink(
  tx: Queryable,
  tokenSha256: Buffer,
): Promise<{ createdBy: string | null } | undefined> {
  const { rows } = await tx.query<{ createdBy: string | null }>(
    'delete from password_links where token_sha256 = $1 returning created_by as "createdBy"',
    [tokenSha256],
  )
  return rows[0]
}

export async function deletePasswordLinkOf(tx: Queryable, staffId: string): Promise<void> {
  await tx.query('delete from password_links where staff_id = $1', [staffId])
}

/** Ends the link of a person if a manager created it. */
export async function deletePasswordLinkByManager(tx: Queryable, staffId: string): Promise<void> {
  await tx.query(
    `delete from password_links where staff_id = $1 and created_by in (select id from staff where role <> 'admin')`,
    [staffId],
  )
}

/** Ends the links that somebody created for other people. */
export async function deletePasswordLinksBy(tx: Queryable, staffId: string): Promise<void> {
  await tx.query('delete from password_links where created_by = $1', [staffId])
}
