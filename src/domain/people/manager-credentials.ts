import type { Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { allowsMore } from '../issuing-limits.ts'
import { deleteIdentity } from './identities.queries.ts'
import { deleteSecondFactors, listFactorKinds } from './second-factors.queries.ts'
import { findCredentialsBy, findPerson, type Person, updateCredentialsBy, updatePasswordHash } from './staff.queries.ts'
import { couldGrant, grantableLimits } from './staff-rights.ts'

/**
 * Throws if a manager would get into the account of a person who signs in by the provider. The groups of that person can give more
 * rights at any moment than the manager has.
 */
export function requireAdministratorFor(manager: Person | undefined, { identity, rightsFromGroups }: Person): void {
  const isOfProvider = identity !== null || rightsFromGroups
  if (isOfProvider && manager && manager.role !== 'admin') throw new DomainError('administrator_needed')
}

/**
 * Notes who created the link with which the password of a person was set. The person must be locked. Throws if the person may now issue
 * more than the manager who created the link: limits on issuing may have changed since.
 */
export async function noteCreatorOfLink(tx: Queryable, person: Person, createdBy: string | null): Promise<void> {
  const creator = createdBy === null ? undefined : await findPerson(tx, createdBy)
  if (creator && allowsMore(person, grantableLimits(creator))) throw new DomainError('password_link_invalid')
  if (creator && creator.role !== 'admin') return updateCredentialsBy(tx, person.id, creator.id)
  // A linked account or a second factor may come from somebody who used the link of a manager before.
  const hasMore = person.identity !== null || (await listFactorKinds(tx, person.id)).length > 0
  if (!hasMore) await updateCredentialsBy(tx, person.id, null)
}

/** Notes that a manager removed the second factors of a person. A manager whose link set the password stays noted. */
export async function noteFactorsRemovedBy(tx: Queryable, manager: Person | undefined, id: string): Promise<void> {
  if (!manager || manager.role === 'admin' || (await findCredentialsBy(tx, id)) !== null) return
  await updateCredentialsBy(tx, id, manager.id)
}

/**
 * Ends the ways to sign in to which a manager had access, if the person gets rights that the manager cannot give. Returns whether
 * it did. `keepsIdentity`: the linked account stays, because its groups give the rights.
 */
export async function endManagerCredentials(
  tx: Queryable,
  actor: Actor,
  person: Person,
  { keepsIdentity }: { keepsIdentity: boolean },
): Promise<boolean> {
  const { id, name } = person
  const managerId = await findCredentialsBy(tx, id)
  const manager = managerId === null ? undefined : await findPerson(tx, managerId)
  if (!manager || couldGrant(manager, person)) return false
  await updatePasswordHash(tx, id, null)
  const factors = await deleteSecondFactors(tx, id)
  const hadIdentity = !keepsIdentity && (await deleteIdentity(tx, id))
  await updateCredentialsBy(tx, id, null)
  const details = { name, by: manager.name, removed: ['password', ...factors, ...(hadIdentity ? ['identity'] : [])] }
  await recordAudit(tx, actor, { action: 'staff.credentials_ended', targetKind: 'staff', targetId: id, details })
  return true
}
