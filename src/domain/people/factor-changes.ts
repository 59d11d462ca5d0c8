import type { Database, Queryable } from '#db/database.ts'
import type { Actor, Requester, Role } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { signsInOnlyByProvider } from './identities.queries.ts'
import { noteFactorsRemovedBy, requireAdministratorFor } from './manager-credentials.ts'
import { isFactorRequired } from './required-factors.ts'
import { deleteSecondFactors, type FactorKind, listFactorKinds } from './second-factors.queries.ts'
import { deleteSessions, updateSessionHasFactor } from './sessions.queries.ts'
import { endAccess } from './sign-in.ts'
import { findManagedPerson, type PersonRef, requireLimitsWithinOwn } from './staff-rights.ts'

/**
 * Records a new factor of a person, who must be locked. With the first one, all other sessions end, because they began without a
 * second factor. This session may do everything from now on.
 */
export async function finishAddingFactor(
  tx: Queryable,
  actor: Requester,
  {
    sessionId,
    before,
    action,
    details,
  }: { sessionId: string; before: FactorKind[]; action: string; details: Record<string, unknown> },
): Promise<void> {
  if (before.length === 0) await deleteSessions(tx, actor.id, sessionId)
  // While the request waited for the lock, somebody may have reset the factors and ended all sessions of the person.
  if (!(await updateSessionHasFactor(tx, sessionId))) throw new DomainError('session_ended')
  await recordAudit(tx, actor, { action, targetKind: 'staff', targetId: actor.id, details })
}

/** Throws if the person, who must be locked, has no factor left although the role needs one. */
export async function requireFactorLeft(tx: Queryable, { id, role }: { id: string; role: Role }): Promise<void> {
  if ((await listFactorKinds(tx, id)).length > 0 || !(await isFactorRequired(tx, role))) return
  if (await signsInOnlyByProvider(tx, id)) return
  throw new DomainError('last_second_factor')
}

/** Removes all second factors of a person who lost them, and ends all sessions and the open link of the person. */
export async function resetSecondFactors(
  db: Database,
  actor: Actor,
  ref: PersonRef,
): Promise<{ name: string; email: string; removed: FactorKind[]; sessions: number }> {
  return db.transaction(async (tx) => {
    const { manager, person } = await findManagedPerson(tx, actor, ref)
    // Otherwise somebody could remove the last factor of their own account although the role needs one.
    if (manager?.id === person.id) throw new DomainError('own_account')
    requireAdministratorFor(manager, person)
    requireLimitsWithinOwn(manager, person)
    const removed = await deleteSecondFactors(tx, person.id)
    await noteFactorsRemovedBy(tx, manager, person.id)
    const sessions = await endAccess(tx, person.id)
    await recordAudit(tx, actor, {
      action: 'staff.second_factors_reset',
      targetKind: 'staff',
      targetId: person.id,
      details: { name: person.name, removed, sessions },
    })
    return { name: person.name, email: person.email, removed, sessions }
  })
}
