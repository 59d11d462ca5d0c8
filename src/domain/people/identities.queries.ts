import type { Queryable } from '#db/database.ts'
import { type Person, personColumnsSql } from './staff.queries.ts'

/** An account of a provider. `issuer` is the address of the provider, `subject` its name for the account. */
export type Account = { issuer: string; subject: string }

/** Lists of texts that the provider sent, by the path of their claim: `{ groups: ['wifi-admins'] }`. */
export type ClaimLists = Record<string, string[]>

/** Makes other sign-ins of this account wait until the transaction ends, so that only one of them adds the person. */
export async function lockAccount(tx: Queryable, { issuer, subject }: Account): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [JSON.stringify([issuer, subject])])
}

/** The person to whom an account belongs. */
export async function findPersonIdOfAccount(db: Queryable, { issuer, subject }: Account): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select staff_id as id from identities where issuer = $1 and subject = $2',
    [issuer, subject],
  )
  return rows[0]?.id
}

/** The condition that the person in the row `st` can sign in only by the provider. */
export const signsInOnlyByProviderSql =
  '(st.password_hash is null and exists (select from identities where staff_id = st.id))'

export async function signsInOnlyByProvider(db: Queryable, staffId: string): Promise<boolean> {
  const { rowCount } = await db.query(`select from staff st where st.id = $1 and ${signsInOnlyByProviderSql}`, [
    staffId,
  ])
  return rowCount === 1
}

/** Replaces the account that the person had. Returns false if the account belongs to another person. */
export async function replaceIdentity(tx: Queryable, staffId: string, { issuer, subject }: Account): Promise<boolean> {
  await tx.query('delete from identities where staff_id = $1 and (issuer <> $2 or subject <> $3)', [
    staffId,
    issuer,
    subject,
  ])
  const { rowCount } = await tx.query(
    `insert into identities as i (issuer, subject, staff_id) values ($1, $2, $3)
     on conflict (issuer, subject) do update set staff_id = excluded.staff_id where i.staff_id = excluded.staff_id`,
    [issuer, subject, staffId],
  )
  return rowCount === 1
}

/** Notes the groups that the provider sent, and the time unless the sign-in is rejected. */
export async function updateIdentity(
  tx: Queryable,
  { issuer, subject }: Account,
  { groups, email, isAccepted }: { groups: ClaimLists; email: string | null; isAccepted: boolean },
): Promise<void> {
  await tx.query(
    `update identities set groups = $3, email = $4, last_sign_in_at = case when $5 then now() else last_sign_in_at end
      where issuer = $1 and subject = $2`,
    [issuer, subject, JSON.stringify(groups), email, isAccepted],
  )
}

/** Returns false if the person had no account of a provider. */
export async function deleteIdentity(tx: Queryable, staffId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from identities where staff_id = $1', [staffId])
  return rowCount === 1
}

export async function updateRightsFromGroups(tx: Queryable, id: string, rightsFromGroups: boolean): Promise<void> {
  await tx.query('update staff set rights_from_groups = $2 where id = $1', [id, rightsFromGroups])
}

/** The active people who get their rights from groups, by name, with the groups of their last sign-in. */
export async function listPeopleOfGroups(db: Queryable): Promise<(Person & { groups: ClaimLists })[]> {
  const { rows } = await db.query<Person & { groups: ClaimLists }>(
    `select ${personColumnsSql}, i.groups from staff st join identities i on i.staff_id = st.id
      where st.rights_from_groups and st.active
      order by st.name collate natural_order, st.id`,
  )
  return rows
}

/** The person with this e-mail address, and the groups of the last sign-in; null if the person has no account of a provider. */
export async function findGroupsByEmail(
  db: Queryable,
  email: string,
): Promise<{ name: string; groups: ClaimLists | null } | undefined> {
  const { rows } = await db.query<{ name: string; groups: ClaimLists | null }>(
    `select st.name, case when i.last_sign_in_at is not null then i.groups end as groups
       from staff st left join identities i on i.staff_id = st.id
      where lower(st.email collate natural_order) = lower($1::text collate natural_order)`,
    [email],
  )
  return rows[0]
}

/** Whether an active administrator has the role independently of groups. */
export async function hasAdministratorWithoutGroups(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (select from staff where role = 'admin' and active and not rights_from_groups) as found`,
  )
  return rows[0]?.found === true
}

/** Whether an active administrator has a linked account, or a password that works. */
export async function hasAdministratorWhoCanSignIn(
  db: Queryable,
  { passwords, breakGlassId }: { passwords: boolean; breakGlassId: string | null },
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (
       select from staff st
        where role = 'admin' and active
          and (exists (select from identities where staff_id = st.id) or (password_hash is not null and ($1 or id = $2)))
     ) as found`,
    [passwords, breakGlassId],
  )
  return rows[0]?.found === true
}

/** Whether an active administrator signed in by this provider in the last 24 hours. */
export async function hasRecentProviderSignIn(db: Queryable, issuer: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (
       select from identities i join staff st on st.id = i.staff_id
        where i.issuer = $1 and i.last_sign_in_at > now() - interval '24 hours' and st.role = 'admin' and st.active
     ) as found`,
    [issuer],
  )
  return rows[0]?.found === true
}
