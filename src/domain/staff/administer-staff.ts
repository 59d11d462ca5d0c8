import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Actor, Role } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { randomBase62, sha256Of } from '../keys/key.ts'
import { plainName } from '../plain-name.ts'
import { deleteSessions } from './sessions.queries.ts'
import {
  deletePasswordLinkOf,
  findPersonToChange,
  insertPerson,
  type Language,
  lockAdministrators,
  type Person,
  replacePasswordLink,
  type Theme,
  updatePerson,
  updatePersonSites,
} from './staff.queries.ts'

const daySeconds = 24 * 60 * 60
const invitationSeconds = 7 * daySeconds

export type PersonRequest = {
  name: string
  email: string
  role: Role
  /** Undefined: all sites, including later ones. */
  siteIds: number[] | undefined
  language: Language | null
}

/** A one-time link to set a password. Its token cannot be read again later. */
export type PasswordLink = { token: string; expiresAt: Date }

/** Adds a person without a password. The person sets one with the link, which is valid for a week. */
export async function addPerson(
  db: Database,
  actor: Actor,
  request: PersonRequest,
): Promise<{ person: Person; link: PasswordLink }> {
  const { role, siteIds, language } = request
  return db.transaction(async (tx) => {
    const person = await storePerson(tx, { ...request, passwordHash: null })
    const sites = person.allSites ? [] : await storeSites(tx, person.id, siteIds ?? [])
    await recordAudit(tx, actor, {
      action: 'staff.added',
      targetKind: 'staff',
      targetId: person.id,
      details: { name: person.name, email: person.email, role, siteIds: person.allSites ? 'all' : sites, language },
    })
    return { person: { ...person, siteIds: sites }, link: await storeLink(tx, person.id, invitationSeconds) }
  })
}

/** Checks and stores a new person, in a transaction that also records who did it. */
export async function storePerson(
  tx: Queryable,
  request: PersonRequest & { passwordHash: string | null },
): Promise<Person> {
  const email = readEmail(request.email)
  const allSites = request.role === 'admin' || request.siteIds === undefined
  const stored = { ...request, id: uuidv7(), name: plainName(request.name), email, allSites }
  const person = await insertPerson(tx, stored)
  if (!person) throw new DomainError('email_taken', { details: { email } })
  return person
}

/** Checks only the format. The service sends no e-mail, so it cannot check whether the address exists. */
function readEmail(text: string): string {
  const email = text.trim()
  if (email.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) throw new DomainError('email_invalid')
  return email
}

async function storeSites(tx: Queryable, id: string, siteIds: number[]): Promise<number[]> {
  const found = await updatePersonSites(tx, id, siteIds)
  const missing = siteIds.filter((siteId) => !found.includes(siteId))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
  return found.toSorted((a, b) => a - b)
}

async function storeLink(tx: Queryable, staffId: string, validSeconds: number): Promise<PasswordLink> {
  const token = randomBase62(43)
  return { token, expiresAt: await replacePasswordLink(tx, { staffId, tokenSha256: sha256Of(token), validSeconds }) }
}

/** Fields that are undefined keep their value. */
export type PersonChange = {
  name?: string | undefined
  role?: Role | undefined
  siteIds?: number[] | 'all' | undefined
  active?: boolean | undefined
  language?: Language | null | undefined
  theme?: Theme | undefined
}

export type PersonRef = { id: string } | { email: string }

/**
 * Changes a person. When this returns, the change is effective in every process. The last active administrator stays one.
 */
export async function setPerson(db: Database, actor: Actor, ref: PersonRef, change: PersonChange): Promise<Person> {
  const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as PersonChange
  if (changes.name !== undefined) changes.name = plainName(changes.name)
  return db.transaction(async (tx) => {
    const administrators = await lockAdministrators(tx)
    const before = await findPersonOrThrow(tx, ref)
    const { siteIds, ...fields } = changes
    const after = { ...before, ...fields } as Person
    const isLast = administrators.every((id) => id === before.id)
    if (before.role === 'admin' && isLast && !(after.role === 'admin' && after.active))
      throw new DomainError('last_administrator')
    if (before.role === 'admin' && after.role !== 'admin' && siteIds === undefined)
      throw new DomainError('person_sites_missing')
    after.allSites = after.role === 'admin' || siteIds === 'all' || (siteIds === undefined && before.allSites)
    await updatePerson(tx, after)
    if (after.allSites) after.siteIds = await updatePersonSites(tx, before.id, [])
    else if (Array.isArray(siteIds)) after.siteIds = await storeSites(tx, before.id, siteIds)
    if (!after.active) {
      await deleteSessions(tx, before.id, null)
      await deletePasswordLinkOf(tx, before.id)
    }
    const details = { name: before.name, changes }
    await recordAudit(tx, actor, { action: 'staff.changed', targetKind: 'staff', targetId: before.id, details })
    return after
  })
}

async function findPersonOrThrow(tx: Queryable, ref: PersonRef): Promise<Person> {
  const person = await findPersonToChange(tx, ref)
  if (!person) throw new DomainError('person_not_found', { details: { named: 'id' in ref ? ref.id : ref.email } })
  return person
}

/** Creates a link for a person who forgot the password. It is valid for a day. An older link of the person ends. */
export async function createPasswordLink(
  db: Database,
  actor: Actor,
  ref: PersonRef,
): Promise<{ person: Person; link: PasswordLink }> {
  return db.transaction(async (tx) => {
    const person = await findPersonOrThrow(tx, ref)
    if (!person.active) throw new DomainError('person_inactive', { details: { named: person.email } })
    const details = { name: person.name }
    await recordAudit(tx, actor, { action: 'staff.link_created', targetKind: 'staff', targetId: person.id, details })
    return { person, link: await storeLink(tx, person.id, daySeconds) }
  })
}
