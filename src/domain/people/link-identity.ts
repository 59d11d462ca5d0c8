import type { Database, Queryable } from '#db/database.ts'
import type { Actor, Requester } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import {
  type Account,
  deleteIdentity,
  hasAdministratorWhoCanSignIn,
  lockAccount,
  replaceIdentity,
  updateRightsFromGroups,
} from './identities.queries.ts'
import { type ProviderContext, readSignInMethods } from './password-sign-in.ts'
import { findPasswordHash } from './sessions.queries.ts'
import { endAccess } from './sign-in.ts'
import { deletePasswordLinkByManager, findPersonToChange, type Person } from './staff.queries.ts'
import { findManagedPerson, type PersonRef } from './staff-rights.ts'

/** Links an account of a provider to a person. Both are locked, the account first. It replaces the account that the person had. */
export async function linkIdentity(tx: Queryable, actor: Actor, person: Person, account: Account): Promise<void> {
  if (!(await replaceIdentity(tx, person.id, account))) throw new DomainError('identity_taken')
  await deletePasswordLinkByManager(tx, person.id)
  await recordAudit(tx, actor, {
    action: 'staff.identity_linked',
    targetKind: 'staff',
    targetId: person.id,
    details: { name: person.name, issuer: account.issuer },
  })
}

/** Links an account of a provider to somebody else: only the command line does this. */
export async function linkPerson(db: Database, actor: Actor, ref: PersonRef, given: Account): Promise<Person> {
  const account = { ...given, issuer: given.issuer.replace(/\/$/, '') }
  return db.transaction(async (tx) => {
    await lockAccount(tx, account)
    const { person } = await findManagedPerson(tx, actor, ref)
    await linkIdentity(tx, actor, person, account)
    return person
  })
}

type UnlinkContext = ProviderContext & { db: Database }

/** Unlinks the account of the provider. The person keeps the rights, and all sessions of the person end. */
export async function unlinkPerson(ctx: UnlinkContext, actor: Actor, ref: PersonRef): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { manager, person } = await findManagedPerson(tx, actor, ref)
    // Otherwise somebody could leave the groups that decide about the own rights.
    if (manager?.id === person.id) throw new DomainError('own_account')
    await unlink(tx, actor, person)
    await endAccess(tx, person.id)
    // The command line can always create a link.
    if (
      manager &&
      person.role === 'admin' &&
      !(await hasAdministratorWhoCanSignIn(tx, await readSignInMethods({ ...ctx, db: tx })))
    )
      throw new DomainError('last_administrator')
  })
}

/** Unlinks the own account of the provider, if the person can still sign in with a password. */
export async function unlinkOwn(ctx: UnlinkContext, actor: Requester): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const person = (await findPersonToChange(tx, actor.id)) as Person
    if (person.rightsFromGroups) throw new DomainError('rights_from_groups')
    const { passwords, breakGlassId } = await readSignInMethods({ ...ctx, db: tx })
    const mayUsePassword = passwords || breakGlassId === actor.id
    if (!mayUsePassword || (await findPasswordHash(tx, actor.id)) === null) throw new DomainError('identity_needed')
    await unlink(tx, actor, person)
  })
}

async function unlink(tx: Queryable, actor: Actor, { id, name, identity }: Person): Promise<void> {
  if (!(await deleteIdentity(tx, id))) throw new DomainError('identity_missing')
  await updateRightsFromGroups(tx, id, false)
  const details = { name, issuer: identity?.issuer }
  await recordAudit(tx, actor, { action: 'staff.identity_unlinked', targetKind: 'staff', targetId: id, details })
}
