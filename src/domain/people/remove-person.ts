import type { Database } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { eraseLinkMailOf } from '../messages/link-mail.queries.ts'
import { deleteIdentity } from './identities.queries.ts'
import { erasePerson } from './managed-staff.queries.ts'
import { requireBreakGlassKept } from './password-sign-in.ts'
import { endAccess } from './sign-in.ts'
import { deletePasswordLinksBy, type Person } from './staff.queries.ts'
import { findManagedPerson, type PersonRef, requireAdministratorLeft } from './staff-rights.ts'

/**
 * Removes a person and ends all sessions of the person at once. Their name stays, because vouchers, batches and the audit show it.
 * Somebody else can then get the e-mail address.
 */
export async function removePerson(db: Database, actor: Actor, ref: PersonRef): Promise<Person> {
  return db.transaction(async (tx) => {
    const { manager, person } = await findManagedPerson(tx, actor, ref)
    if (manager?.id === person.id) throw new DomainError('own_account')
    await requireAdministratorLeft(tx, person, { ...person, active: false })
    await requireBreakGlassKept(tx, person, { ...person, active: false })
    const sessions = await endAccess(tx, person.id)
    await deletePasswordLinksBy(tx, person.id)
    await deleteIdentity(tx, person.id)
    await eraseLinkMailOf(tx, person.id)
    await erasePerson(tx, person.id)
    const { id, name, email, role } = person
    const details = { name, email, role, sessions }
    await recordAudit(tx, actor, { action: 'staff.removed', targetKind: 'staff', targetId: id, details })
    return person
  })
}
