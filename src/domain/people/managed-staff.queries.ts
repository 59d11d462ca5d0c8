import type { Queryable } from '#db/database.ts'
import { type SentLink, sentLinkSql } from '../messages/link-mail.queries.ts'
import { deleteSecondFactors, type FactorKind, factorsOfStaffSql } from './second-factors.queries.ts'
import { type Person, personColumnsSql } from './staff.queries.ts'

/** A person as administrators and managers see them. */
export type StaffMember = Person & {
  /** When the open one-time link of the person expires; null if there is none. */
  linkExpiresAt: Date | null
  lastSeenAt: Date | null
  secondFactors: Exclude<FactorKind, 'recovery_code'>[]
  /** The last message with a one-time link to the person, in the last 30 days; null if there was none. */
  sentLink: SentLink | null
}

const memberColumns = `${personColumnsSql},
  (select expires_at from password_links where staff_id = st.id and expires_at > now()) as "linkExpiresAt",
  st.last_seen_at as "lastSeenAt", ${factorsOfStaffSql} as "secondFactors",
  ${sentLinkSql('st.id')} as "sentLink"`

/**
 * The condition that somebody may manage the person in the row `st`. An administrator manages everybody. A manager manages
 * people with the role desk whose sites are all among the manager's own. Null is the command line, which manages everybody.
 */
function isManagedBySql(managerId: string): string {
  return `(${managerId}::uuid is null or exists (
    select from staff m
     where m.id = ${managerId} and m.active
       and (m.role = 'admin'
            or (m.role = 'manager' and st.role = 'desk' and (m.all_sites or not st.all_sites
                and exists (select from staff_sites where staff_id = st.id)
                and not exists (
                  select from staff_sites s
                   where s.staff_id = st.id
                     and not exists (select from staff_sites where staff_id = m.id and site_id = s.site_id)))))))`
}

/**
 * The condition that the person in the row `st` was not removed. The row of a removed person stays, because vouchers refer to its
 * name. It has a text without @ instead of an e-mail address, so nobody can sign in with it.
 */
const isPresentSql = `st.email like '%@%'`

const byNameSql = 'st.name collate natural_order'

/** The people whom somebody may manage, by name, page by page. */
export async function listStaffPage(
  db: Queryable,
  managerId: string | null,
  options: {
    /** Only people who may use this site. */
    siteId?: number | undefined
    /** A part of the name or of the e-mail address. */
    text?: string | undefined
    after?: { name: string; id: string } | undefined
    /** Null: all of them. */
    limit: number | null
  },
): Promise<StaffMember[]> {
  const { rows } = await db.query<StaffMember>(
    `select ${memberColumns} from staff st
      where ${isPresentSql} and ${isManagedBySql('$1')}
        and ($2::integer is null or st.all_sites
             or exists (select from staff_sites where staff_id = st.id and site_id = $2))
        and ($3::text is null or position(lower($3) in lower(st.name)) > 0 or position(lower($3) in lower(st.email collate natural_order)) > 0)
        and ($4::text is null or (${byNameSql}, st.id) > ($4 collate natural_order, $5::uuid))
      order by ${byNameSql}, st.id
      limit $6`,
    [
      managerId,
      options.siteId ?? null,
      options.text ?? null,
      options.after?.name ?? null,
      options.after?.id ?? null,
      options.limit,
    ],
  )
  return rows
}

/** Undefined also when this person may not be managed by the manager. */
export async function findStaffMember(
  db: Queryable,
  id: string,
  managerId: string | null,
): Promise<StaffMember | undefined> {
  const { rows } = await db.query<StaffMember>(
    `select ${memberColumns} from staff st where st.id = $2 and ${isPresentSql} and ${isManagedBySql('$1')}`,
    [managerId, id],
  )
  return rows[0]
}

export async function findPersonIdByEmail(db: Queryable, email: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from staff st where ${isPresentSql} and lower(email collate natural_order) = lower($1::text collate natural_order)`,
    [email],
  )
  return rows[0]?.id
}

/** Erases everything but the name of a person. */
export async function erasePerson(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from staff_sites where staff_id = $1', [id])
  await tx.query('delete from staff_addresses where staff_id = $1', [id])
  await deleteSecondFactors(tx, id)
  await tx.query(
    `update staff
        set email = 'removed ' || id, role = 'desk', all_sites = false, active = false, password_hash = null,
            language = null, theme = default, last_seen_at = null, rights_from_groups = false,
            credentials_by = null
      where id = $1`,
    [id],
  )
}

/**
 * Locks these people and all active administrators until the end of the transaction. The order is fixed, so two changes
 * cannot deadlock, and two administrators cannot remove each other at the same time.
 */
export async function lockStaff(tx: Queryable, ids: string[]): Promise<void> {
  await tx.query(`select from staff where id = any ($1) or (role = 'admin' and active) order by id for no key update`, [
    ids,
  ])
}

export async function hasOtherAdministrator(tx: Queryable, id: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    `select exists (select from staff where role = 'admin' and active and id <> $1) as found`,
    [id],
  )
  return rows[0]?.found === true
}
