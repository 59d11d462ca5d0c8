import type { Queryable } from '#db/database.ts'
import { type Actor, type Role, roles } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { allowsMore, type IssuingLimits, noIssuingLimits } from '../issuing-limits.ts'
import {
  findPersonIdByEmail,
  findStaffMember,
  hasOtherAdministrator,
  lockStaff,
  type StaffMember,
} from './managed-staff.queries.ts'
import { findPerson, type Person } from './staff.queries.ts'

export type PersonRef = { id: string } | { email: string }

export type Rights = { role: Role; allSites: boolean; siteIds: number[] }

/**
 * Locks the person who acts, and reads that person's rights again: they may have changed since the request was accepted.
 * Returns undefined for the command line, which has no limits.
 */
export async function lockManager(tx: Queryable, actor: Actor, otherId?: string): Promise<Person | undefined> {
  const managerId = managerIdOf(actor)
  await lockStaff(
    tx,
    [managerId, otherId].filter((id) => typeof id === 'string'),
  )
  if (managerId === null) return undefined
  const manager = await findPerson(tx, managerId)
  if (!manager) throw new DomainError('rights_beyond_own') // an API key
  return manager
}

/** The manager whose rights limit a query; null for the command line. */
export function managerIdOf(actor: Actor): string | null {
  return 'id' in actor ? actor.id : null
}

/** Finds and locks a person whom the actor may manage. Other people are answered like people who do not exist. */
export async function findManagedPerson(
  tx: Queryable,
  actor: Actor,
  ref: PersonRef,
): Promise<{ manager: Person | undefined; person: StaffMember }> {
  const id = 'id' in ref ? ref.id : await findPersonIdByEmail(tx, ref.email)
  const manager = await lockManager(tx, actor, id)
  const person = id === undefined ? undefined : await findStaffMember(tx, id, managerIdOf(actor))
  if (!person) throw new DomainError('person_not_found', { details: { named: 'id' in ref ? ref.id : ref.email } })
  return { manager, person }
}

/** Throws if somebody gives rights that they may not give. A manager gives only the role desk and their own sites. */
export function requireGrantable(manager: Person | undefined, { role, allSites, siteIds }: Rights): void {
  if (!manager || (manager.active && manager.role === 'admin')) return
  if (!manager.active || manager.role !== 'manager' || role !== 'desk' || (allSites && !manager.allSites))
    throw new DomainError('rights_beyond_own')
  const missing = manager.allSites ? [] : siteIds.filter((id) => !manager.siteIds.includes(id))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
}

/** The highest limits on issuing that somebody can give, which a new person gets: an administrator can give none. */
export function grantableLimits(manager: Person | undefined): IssuingLimits {
  if (!manager || manager.role === 'admin') return noIssuingLimits
  return { vouchersPerDay: manager.vouchersPerDay, longestMinutes: manager.longestMinutes }
}

/**
 * Throws if a manager would let somebody issue more than the manager may, or would get into the account of somebody who may.
 * Otherwise a second account would lift the limit.
 */
export function requireLimitsWithinOwn(manager: Person | undefined, limits: IssuingLimits): void {
  if (allowsMore(limits, grantableLimits(manager))) throw new DomainError('limits_beyond_own')
}

/** Whether a manager can give these rights and limits now. */
export function couldGrant(manager: Person, rights: Rights & IssuingLimits): boolean {
  if (!manager.active || manager.role === 'desk') return false
  if (manager.role === 'admin') return true
  return rights.role === 'desk' && !hasMoreRights(rights, manager) && !allowsMore(rights, manager)
}

/** Whether the first rights include something that the second ones do not. */
export function hasMoreRights(more: Rights, less: Rights): boolean {
  if (roles.indexOf(more.role) > roles.indexOf(less.role)) return true
  if (less.allSites) return false
  return more.allSites || more.siteIds.some((id) => !less.siteIds.includes(id))
}

/** Throws if no active administrator would be left. Needs the locks of `lockManager`. */
export async function requireAdministratorLeft(tx: Queryable, before: Person, after: Person): Promise<void> {
  const isOne = ({ role, active }: Person) => role === 'admin' && active
  if (isOne(before) && !isOne(after) && !(await hasOtherAdministrator(tx, before.id)))
    throw new DomainError('last_administrator')
}
