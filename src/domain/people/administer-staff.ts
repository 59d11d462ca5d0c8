import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Actor, Requester, Role } from '../actor.ts'
import { changed, isChange, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { allowsMore, type IssuingChange, type IssuingLimits, noIssuingLimits } from '../issuing-limits.ts'
import { randomBase62, sha256Of } from '../keys/key.ts'
import { plainName } from '../plain-name.ts'
import { isEmail } from './email.ts'
import { updateRightsFromGroups } from './identities.queries.ts'
import { type ByMail, mailPasswordLink } from './mail-password-link.ts'
import { endManagerCredentials, requireAdministratorFor } from './manager-credentials.ts'
import { requireBreakGlassKept } from './password-sign-in.ts'
import { endAccess } from './sign-in.ts'
import {
  deletePasswordLinkOf,
  deletePasswordLinksBy,
  findPersonToChange,
  insertPerson,
  type Language,
  type Person,
  replacePasswordLink,
  type Theme,
  updatePerson,
  updatePersonSites,
} from './staff.queries.ts'
import {
  findManagedPerson,
  grantableLimits,
  hasMoreRights,
  lockManager,
  managerIdOf,
  type PersonRef,
  requireAdministratorLeft,
  requireGrantable,
  requireLimitsWithinOwn,
} from './staff-rights.ts'

const daySeconds = 24 * 60 * 60
const invitationSeconds = 7 * daySeconds

/** A limit that is undefined is the one of the manager who adds the person. */
export type PersonRequest = IssuingChange & {
  name: string
  email: string
  role: Role
  /** Undefined: all sites, including later ones. */
  siteIds: number[] | undefined
  language: Language | null
}

/** A one-time link to set a password. Its token cannot be read again later. */
export type PasswordLink = { token: string; expiresAt: Date }

/** Adds a person without a password. The person sets one with the link, which is valid for a week. `byMail` sends it, too. */
export async function addPerson(
  db: Database,
  actor: Actor,
  request: PersonRequest,
  byMail?: ByMail,
): Promise<{ person: Person; link: PasswordLink }> {
  const { role, siteIds = [] } = request
  return db.transaction(async (tx) => {
    const manager = await lockManager(tx, actor)
    requireGrantable(manager, { role, siteIds, allSites: isForAllSites(request) })
    const limits = { ...grantableLimits(manager), ...definedLimits(request) }
    requireLimitsWithinOwn(manager, limits)
    const person = await addPersonIn(tx, actor, { ...request, ...limits })
    const link = await storeLink(tx, actor, person.id, invitationSeconds)
    if (byMail) await mailPasswordLink(tx, byMail, 'invitation', { person, link })
    return { person, link }
  })
}

/** Adds a person who can sign in only after somebody has made a password link. The caller has checked the rights of the actor. */
export async function addPersonIn(tx: Queryable, actor: Actor, request: PersonRequest): Promise<Person> {
  const { role, siteIds = [], language } = request
  const person = await storePerson(tx, { ...request, passwordHash: null })
  const sites = person.allSites ? [] : await storeSites(tx, person.id, siteIds)
  await recordAudit(tx, actor, {
    action: 'staff.added',
    targetKind: 'staff',
    targetId: person.id,
    details: {
      name: person.name,
      email: person.email,
      role,
      siteIds: person.allSites ? 'all' : sites,
      language,
      ...definedLimits(request),
    },
  })
  return { ...person, siteIds: sites }
}

function definedLimits({ vouchersPerDay, longestMinutes }: IssuingChange): Partial<IssuingLimits> {
  return {
    ...(vouchersPerDay !== undefined && { vouchersPerDay }),
    ...(longestMinutes !== undefined && { longestMinutes }),
  }
}

/** Checks and stores a new person, in a transaction that also records who did it. */
export async function storePerson(
  tx: Queryable,
  request: PersonRequest & { passwordHash: string | null },
): Promise<Person> {
  const email = readEmail(request.email)
  const stored = {
    ...request,
    id: uuidv7(),
    name: plainName(request.name),
    email,
    allSites: isForAllSites(request),
    ...noIssuingLimits,
    ...definedLimits(request),
  }
  const person = await insertPerson(tx, stored)
  if (!person) throw new DomainError('email_taken', { details: { email } })
  return person
}

function isForAllSites({ role, siteIds }: Pick<PersonRequest, 'role' | 'siteIds'>): boolean {
  return role === 'admin' || siteIds === undefined
}

/** Checks only the format. Nobody learns whether the address exists. */
function readEmail(text: string): string {
  const email = text.trim()
  if (!isEmail(email)) throw new DomainError('email_invalid')
  return email
}

async function storeSites(tx: Queryable, id: string, siteIds: number[]): Promise<number[]> {
  const found = await updatePersonSites(tx, id, siteIds)
  const missing = siteIds.filter((siteId) => !found.includes(siteId))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
  return found.toSorted((a, b) => a - b)
}

async function storeLink(tx: Queryable, actor: Actor, staffId: string, validSeconds: number): Promise<PasswordLink> {
  const token = randomBase62(43)
  const link = { staffId, createdBy: managerIdOf(actor), tokenSha256: sha256Of(token), validSeconds }
  return { token, expiresAt: await replacePasswordLink(tx, link) }
}

/** Fields that are undefined keep their value. */
export type PersonChange = OwnChange &
  IssuingChange & {
    email?: string | undefined
    role?: Role | undefined
    siteIds?: number[] | 'all' | undefined
    active?: boolean | undefined
    /** Only administrators change it. */
    rightsFromGroups?: boolean | undefined
  }

/** Fields that people change themselves. */
type OwnChange = {
  name?: string | undefined
  language?: Language | null | undefined
  theme?: Theme | undefined
}

/**
 * Changes a person. When this returns, the change is effective in every process. The last active administrator stays one.
 * Nobody changes their own role, sites or state.
 */
export async function setPerson(
  db: Database,
  actor: Actor,
  ref: PersonRef,
  change: PersonChange,
): Promise<Person & { credentialsEnded: boolean; linkEnded: boolean }> {
  return db.transaction(async (tx) => {
    const { manager, person: before } = await findManagedPerson(tx, actor, ref)
    const { siteIds, ...fields } = readChange(change)
    const after: Person = { ...before, ...fields }
    requireOwnRights(manager, before, after, fields.role !== undefined || siteIds !== undefined)
    if (before.role === 'admin' && after.role !== 'admin' && siteIds === undefined)
      throw new DomainError('person_sites_missing')
    after.allSites = after.role === 'admin' || siteIds === 'all' || (siteIds === undefined && before.allSites)
    if (after.allSites) after.siteIds = []
    else if (Array.isArray(siteIds)) after.siteIds = siteIds
    if (manager?.id === before.id && (hasMoreRights(before, after) || hasMoreRights(after, before) || !after.active))
      throw new DomainError('own_account')
    await requireAdministratorLeft(tx, before, after)
    await requireBreakGlassKept(tx, before, after)
    requireGrantable(manager, after)
    const isActivated = after.active && !before.active
    if (isActivated || fields.vouchersPerDay !== undefined || fields.longestMinutes !== undefined)
      requireLimitsWithinOwn(manager, after)
    if (after.allSites !== before.allSites || Array.isArray(siteIds))
      after.siteIds = await storeSites(tx, before.id, after.siteIds)
    const stored = await storeChange(tx, actor, before, after)
    // Whoever reads the old mailbox may have the link, or get it with a message that still waits.
    const isElsewhere = after.email !== before.email
    if (isElsewhere) await deletePasswordLinkOf(tx, before.id)
    const credentialsEnded = await endOldAccess(tx, actor, before, after, { keepsIdentity: false })
    return { ...stored, credentialsEnded, linkEnded: isElsewhere && before.linkExpiresAt !== null }
  })
}

/** Returns whether the person can no longer sign in as before, because a manager had set that up. */
async function endOldAccess(
  tx: Queryable,
  actor: Actor,
  before: Person,
  after: Person,
  options: { keepsIdentity: boolean },
): Promise<boolean> {
  const isRise = hasMoreRights(after, before)
  // Somebody else may have created the open link or stolen a session, and must not get the new rights of the person.
  if (!after.active || isRise) await endAccess(tx, before.id)
  // The person may have kept links that they created for others. With such a link they would get the others' rights.
  if (!after.active || hasMoreRights(before, after)) await deletePasswordLinksBy(tx, before.id)
  if (!isRise && !allowsMore(after, before)) return false
  const isEnded = await endManagerCredentials(tx, actor, after, options)
  // Higher limits end no session, except one that may be the manager's.
  if (isEnded) await endAccess(tx, before.id)
  return isEnded
}

/** Gives a person the rights of their groups. Sites that were removed since are left out. Needs the locks of `lockStaff`. */
export async function storeMappedRights(
  tx: Queryable,
  actor: Actor,
  before: Person,
  { role, allSites, siteIds }: Pick<Person, 'role' | 'allSites' | 'siteIds'>,
): Promise<void> {
  const after: Person = { ...before, role, allSites, siteIds }
  if (allSites !== before.allSites || siteIds.join() !== before.siteIds.join())
    after.siteIds = (await updatePersonSites(tx, before.id, siteIds)).toSorted((a, b) => a - b)
  await storeChange(tx, actor, before, after)
  await endOldAccess(tx, actor, before, after, { keepsIdentity: true })
}

/** Rejects a change of rights that come from groups. Groups may give every right, so only administrators switch them on or off. */
function requireOwnRights(manager: Person | undefined, before: Person, after: Person, changesRights: boolean): void {
  if (after.rightsFromGroups && changesRights) throw new DomainError('rights_from_groups')
  if (after.rightsFromGroups === before.rightsFromGroups) return
  if (manager && manager.role !== 'admin') throw new DomainError('rights_beyond_own')
  if (manager?.id === before.id) throw new DomainError('own_account')
  if (after.rightsFromGroups && before.identity === null) throw new DomainError('identity_missing')
}

function readChange<Change extends Pick<PersonChange, 'name' | 'email'>>(
  change: Change,
): { [field in keyof Change]: Exclude<Change[field], undefined> } {
  const { name, email } = change
  const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return {
    ...changes,
    ...(name !== undefined && { name: plainName(name) }),
    ...(email !== undefined && { email: readEmail(email) }),
  } as never
}

/** Changes what people decide themselves. */
export async function setOwnPreferences(db: Database, actor: Requester, change: OwnChange): Promise<Person> {
  return db.transaction(async (tx) => {
    const before = (await findPersonToChange(tx, actor.id)) as Person
    return storeChange(tx, actor, before, { ...before, ...readChange(change) })
  })
}

async function storeChange(tx: Queryable, actor: Actor, before: Person, after: Person): Promise<Person> {
  const difference = changed(recorded(before), recorded(after))
  if (!isChange(difference)) return after
  if (!(await updatePerson(tx, after))) throw new DomainError('email_taken', { details: { email: after.email } })
  if (after.rightsFromGroups !== before.rightsFromGroups)
    await updateRightsFromGroups(tx, before.id, after.rightsFromGroups)
  const details = { name: before.name }
  const entry = { action: 'staff.changed', targetKind: 'staff', targetId: before.id, details }
  await recordChange(tx, actor, entry, difference)
  return after
}

function recorded(person: Person): Record<string, unknown> {
  const { name, email, role, allSites, siteIds, active, language, theme, rightsFromGroups } = person
  const { vouchersPerDay, longestMinutes } = person
  const limits = { vouchersPerDay, longestMinutes }
  return {
    name,
    email,
    role,
    siteIds: allSites ? 'all' : siteIds,
    active,
    language,
    theme,
    rightsFromGroups,
    ...limits,
  }
}

/**
 * Creates a link for a person who forgot the password. It is valid for a day. An older link of the person ends. `byMail` sends it,
 * too.
 */
export async function createPasswordLink(
  db: Database,
  actor: Actor,
  ref: PersonRef,
  byMail?: ByMail,
): Promise<{ person: Person; link: PasswordLink }> {
  return db.transaction(async (tx) => {
    const { manager, person } = await findManagedPerson(tx, actor, ref)
    // Otherwise somebody at an unlocked computer could set a password without the current one.
    if (manager?.id === person.id) throw new DomainError('own_account')
    requireAdministratorFor(manager, person)
    requireLimitsWithinOwn(manager, person)
    if (!person.active) throw new DomainError('person_inactive', { details: { named: person.email } })
    const details = { name: person.name, ...(byMail && { sentByMail: true }) }
    await recordAudit(tx, actor, { action: 'staff.link_created', targetKind: 'staff', targetId: person.id, details })
    const link = await storeLink(tx, actor, person.id, daySeconds)
    if (byMail)
      await mailPasswordLink(tx, byMail, person.hasPassword ? 'password_link' : 'invitation', { person, link })
    return { person, link }
  })
}

/** Ends all sessions and the open link of a person at once. The password stays valid. */
export async function signOutPerson(db: Database, actor: Actor, ref: PersonRef): Promise<void> {
  await db.transaction(async (tx) => {
    const { person } = await findManagedPerson(tx, actor, ref)
    const details = { name: person.name, sessions: await endAccess(tx, person.id) }
    await recordAudit(tx, actor, { action: 'staff.signed_out', targetKind: 'staff', targetId: person.id, details })
  })
}
