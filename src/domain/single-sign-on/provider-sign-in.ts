import type { Queryable } from '#db/database.ts'
import type { Actor, Requester } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError, type PersonErrorCode } from '../errors.ts'
import { storeMappedRights, storePerson } from '../people/administer-staff.ts'
import { recordRejected, type SignInContext } from '../people/attempts.ts'
import {
  type Account,
  type ClaimLists,
  findPersonIdOfAccount,
  lockAccount,
  replaceIdentity,
  updateIdentity,
  updateRightsFromGroups,
} from '../people/identities.queries.ts'
import { linkIdentity } from '../people/link-identity.ts'
import { findPersonIdByEmail, hasOtherAdministrator, lockStaff } from '../people/managed-staff.queries.ts'
import { findSignInMethod } from '../people/sessions.queries.ts'
import { endAccess, type SignedIn, startSession, type Visitor } from '../people/sign-in.ts'
import { confirmSession, requireMethodAgain } from '../people/sign-in-again.ts'
import { findPerson, findPersonToChange, type Person, updatePersonSites } from '../people/staff.queries.ts'
import { claimListsOf, emailOf, hasTooManyGroups, nameOf, textsOf } from './claims.ts'
import { type GroupMapping, type MappedRights, rightsOfGroups } from './group-rights.ts'
import type { Claims, Provider } from './provider.ts'

export type ProviderSignInContext = SignInContext & { provider: Provider }

/** What the provider said, and the table of groups when it was read. */
export type ProviderAnswer = { claims: Claims; mapping: GroupMapping }

/** The longest session that starts with a sign-in by the provider. */
const maxHours = 12

/**
 * Signs in the person to whom the account of the provider belongs. Adds the person if there is none and a group gives a role.
 * The e-mail address never decides who it is.
 */
export async function signInByProvider(
  ctx: ProviderSignInContext,
  visitor: Visitor,
  said: ProviderAnswer,
): Promise<SignedIn> {
  try {
    return await signIn(ctx, visitor, said)
  } catch (error) {
    const staffId = error instanceof DomainError ? error.details['staff'] : undefined
    if (typeof staffId === 'string')
      recordRejected(ctx, { address: visitor.address, staffId, action: 'staff.sign_in_rejected' })
    throw error
  }
}

async function signIn(
  ctx: ProviderSignInContext,
  visitor: Visitor,
  { claims, mapping }: ProviderAnswer,
): Promise<SignedIn> {
  const signedIn = await ctx.db.transaction(async (tx) => {
    const account = accountOf(ctx, claims)
    await lockAccount(tx, account)
    const known = await findPersonIdOfAccount(tx, account)
    const request = { account, claims, mapping, by: { kind: 'service', address: visitor.address } as const }
    const staffId =
      known === undefined ? await addPersonOf(ctx, tx, request) : await updateKnown(ctx, tx, known, request)
    const isAccepted = staffId !== null
    const email = emailOf(claims) ?? null
    await updateIdentity(tx, account, { groups: claimListsOf(claims, mapping.claim), email, isAccepted })
    if (staffId === null) return { lost: known as string }
    return startSession(tx, visitor, staffId, { by: 'provider', maxHours })
  })
  // The transaction is committed first: it took the rights and the sessions of a person who has lost all groups.
  if ('lost' in signedIn) throw rejected(ctx, 'provider_groups_missing', signedIn.lost)
  return signedIn
}

function accountOf({ provider }: ProviderSignInContext, { sub }: Claims): Account {
  return { issuer: provider.issuer, subject: sub }
}

/** `staffId`: the person to whom the account belongs, for the log and the audit. */
function rejected(
  { provider }: ProviderSignInContext,
  code: `provider_${string}` & DomainError['code'],
  staffId?: string,
): DomainError {
  return new DomainError(code, {
    details: { provider: provider.name, ...(staffId !== undefined && { staff: staffId }) },
  })
}

type AccountSignIn = ProviderAnswer & { account: Account; by: Actor }

async function addPersonOf(ctx: ProviderSignInContext, tx: Queryable, request: AccountSignIn): Promise<string> {
  const { account, claims, by } = request
  const rights = readRights(ctx, request)
  if (!rights) throw rejected(ctx, 'provider_groups_missing')
  const email = emailOf(claims)
  if (email === undefined) throw rejected(ctx, 'provider_email_missing')
  const person = await storePersonOf(ctx, tx, { name: nameOf(claims, email), email, rights })
  const { id, name, role } = person
  const siteIds = rights.allSites ? [] : await updatePersonSites(tx, id, rights.siteIds)
  await updateRightsFromGroups(tx, id, true)
  await replaceIdentity(tx, id, account)
  const details = { name, email, role, siteIds: rights.allSites ? 'all' : siteIds, issuer: account.issuer }
  await recordAudit(tx, by, { action: 'staff.added', targetKind: 'staff', targetId: id, details })
  return id
}

async function storePersonOf(
  ctx: ProviderSignInContext,
  tx: Queryable,
  { name, email, rights }: { name: string; email: string; rights: MappedRights },
): Promise<Person> {
  const siteIds = rights.allSites ? undefined : rights.siteIds
  try {
    return await storePerson(tx, { name, email, role: rights.role, siteIds, language: null, passwordHash: null })
  } catch (error) {
    throw error instanceof DomainError && error.code === 'email_taken' ? rejected(ctx, 'provider_email_taken') : error
  }
}

/** The rights that the groups of the person give. Throws if the provider did not send all groups. */
function readRights(
  ctx: ProviderSignInContext,
  { claims, mapping }: AccountSignIn,
  staffId?: string,
): MappedRights | null {
  if (hasTooManyGroups(claims, mapping.claim)) throw rejected(ctx, 'provider_groups_too_many', staffId)
  return rightsOfGroups(mapping, textsOf(claims, mapping.claim))
}

const noRights = { role: 'desk', allSites: false, siteIds: [] } as const

/** Gives a known person the rights of the groups, if they come from there. Null if the person has lost all groups. */
async function updateKnown(
  ctx: ProviderSignInContext,
  tx: Queryable,
  staffId: string,
  request: AccountSignIn,
): Promise<string | null> {
  await lockStaff(tx, [staffId])
  // Somebody may have unlinked the account, and ended the sessions of the person, while this sign-in waited for the lock.
  if ((await findPersonIdOfAccount(tx, request.account)) !== staffId) throw rejected(ctx, 'provider_sign_in_expired')
  const person = await findPerson(tx, staffId)
  if (!person?.active) throw rejected(ctx, 'provider_person_inactive', staffId)
  if (!person.rightsFromGroups) return staffId
  const rights = readRights(ctx, request, staffId)
  const { id, name } = person
  if (person.role === 'admin' && rights?.role !== 'admin' && !(await hasOtherAdministrator(tx, staffId))) {
    ctx.log.warn({ staff: id }, 'the last administrator keeps the role, although no group of the person gives it')
    const entry = { action: 'staff.administrator_kept', targetKind: 'staff', targetId: id, details: { name } }
    await recordAudit(tx, request.by, entry)
    return staffId
  }
  await storeMappedRights(tx, request.by, person, rights ?? { ...noRights, siteIds: [] })
  if (rights) return staffId
  await endAccess(tx, id)
  return null
}

/** The person who is signed in, and the session. */
type Caller = { actor: Requester; sessionId: string }

/** Links the account of the provider to the person who is signed in. */
export async function linkByProvider(
  ctx: ProviderSignInContext,
  { actor, sessionId }: Caller,
  { claims, mapping }: ProviderAnswer,
): Promise<void> {
  const account = accountOf(ctx, claims)
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, account)
    const person = (await findPersonToChange(tx, actor.id)) as Person
    // While this waited for the lock, somebody may have removed the person, who would then keep the account.
    if ((await findSignInMethod(tx, sessionId)) === undefined) throw new DomainError('session_ended')
    await linkIdentity(tx, actor, person, account)
    const groups = claimListsOf(claims, mapping.claim)
    await updateIdentity(tx, account, { groups, email: emailOf(claims) ?? null, isAccepted: true })
  })
}

/** Notes that the person of a session has proved again who they are. */
export async function confirmByProvider(
  ctx: ProviderSignInContext,
  { actor, sessionId }: Caller,
  { claims }: ProviderAnswer,
): Promise<void> {
  if ((await findPersonIdOfAccount(ctx.db, accountOf(ctx, claims))) !== actor.id)
    throw new DomainError('identity_other')
  await requireMethodAgain(ctx.db, { staffId: actor.id, sessionId }, 'provider')
  await ctx.db.transaction((tx) => confirmSession(tx, actor, sessionId, 'provider'))
}

/** What a sign-in with these claims would do. */
export type SignInTest = {
  name: string
  email: string | undefined
  /** Whether the account is linked to a person already. */
  isKnown: boolean
  claim: string
  lists: ClaimLists
  /** The rights after the sign-in. `matched` is empty if they do not come from groups. */
  rights: MappedRights | null
  /** Why this person could not sign in; null if the sign-in would work. */
  problem: PersonErrorCode | null
}

/** Shows an administrator what the provider sends and what the groups would give. Changes nothing. */
export async function testByProvider(
  ctx: ProviderSignInContext,
  { claims, mapping }: ProviderAnswer,
): Promise<SignInTest> {
  const email = emailOf(claims)
  const staffId = await findPersonIdOfAccount(ctx.db, accountOf(ctx, claims))
  const person = staffId === undefined ? undefined : await findPerson(ctx.db, staffId)
  const mapped = rightsOfGroups(mapping, textsOf(claims, mapping.claim))
  return {
    name: nameOf(claims, email ?? claims.sub),
    email,
    isKnown: person !== undefined,
    claim: mapping.claim,
    lists: claimListsOf(claims, mapping.claim),
    rights: person && !person.rightsFromGroups ? { ...person, matched: [] } : mapped,
    problem: await findProblem(ctx, { person, claims, mapping, mapped }),
  }
}

type Tested = ProviderAnswer & { person: Person | undefined; mapped: MappedRights | null }

/** Checks what `signInByProvider` checks. */
async function findProblem(
  { db }: ProviderSignInContext,
  { person, claims, mapping, mapped }: Tested,
): Promise<PersonErrorCode | null> {
  if (person && !person.active) return 'provider_person_inactive'
  if (person && !person.rightsFromGroups) return null
  if (hasTooManyGroups(claims, mapping.claim)) return 'provider_groups_too_many'
  if (!mapped) return 'provider_groups_missing'
  if (person) return null
  const email = emailOf(claims)
  if (email === undefined) return 'provider_email_missing'
  return (await findPersonIdByEmail(db, email)) === undefined ? null : 'provider_email_taken'
}
