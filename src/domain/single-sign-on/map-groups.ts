import type { Database, Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { changed, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import {
  type ClaimLists,
  findGroupsByEmail,
  hasAdministratorWithoutGroups,
  listPeopleOfGroups,
} from '../people/identities.queries.ts'
import { signInSettings } from '../people/password-sign-in.ts'
import type { Rights } from '../people/staff-rights.ts'
import { insertSetting, listSettings, lockSettings } from '../settings/settings.queries.ts'
import { listSiteLabels, lockSites } from '../sites/sites.queries.ts'
import { type GroupMapping, type MappedRights, noMapping, rightsOfGroups } from './group-rights.ts'

/** The table of groups as administrators saved it. */
export async function readGroupMapping(db: Queryable): Promise<GroupMapping> {
  const stored = await listSettings(db, [signInSettings.groups])
  return (stored.get(signInSettings.groups)?.value ?? noMapping) as GroupMapping
}

/** Replaces the table of groups. Nobody's rights change before the next sign-in by the provider. */
export async function setGroupMapping(db: Database, actor: Actor, mapping: GroupMapping): Promise<void> {
  await db.transaction(async (tx) => {
    await lockSites(tx, siteIdsOf(mapping))
    await lockSettings(tx)
    await requireValid(tx, mapping)
    if ((await changesBy(tx, mapping)).lastAdministratorLost) throw new DomainError('last_administrator_by_groups')
    const difference = changed(await readGroupMapping(tx), mapping)
    await insertSetting(tx, signInSettings.groups, mapping)
    const entry = { action: 'settings.groups_changed', targetKind: 'settings', targetId: 'sign_in' }
    await recordChange(tx, actor, entry, difference)
  })
}

function siteIdsOf({ groups }: Pick<GroupMapping, 'groups'>): number[] {
  return [...new Set(groups.flatMap(({ siteIds }) => siteIds ?? []))]
}

async function requireValid(db: Queryable, { groups }: GroupMapping): Promise<void> {
  const names = groups.map(({ group }) => group)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new DomainError('group_repeated', { details: { group: repeated } })
  const siteIds = siteIdsOf({ groups })
  const found = (await listSiteLabels(db, siteIds)).map(({ id }) => id)
  const missing = siteIds.filter((id) => !found.includes(id))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
}

type RightsChange = { id: string; name: string; before: Rights; after: Rights | null }

export type MappingResult = {
  /** Null if the request names nobody and no groups. */
  person: { name: string; isKnown: boolean; rights: MappedRights | null } | null
  people: number
  changes: RightsChange[]
  lastAdministratorLost: boolean
}

/** The changes that a table would cause at the next sign-ins, computed from the groups of each person's last one. */
export async function tryGroupMapping(
  db: Queryable,
  mapping: GroupMapping,
  request: { email: string | undefined; groups: string[] | undefined },
): Promise<MappingResult> {
  await requireValid(db, mapping)
  const [person, result] = await Promise.all([tryPerson(db, mapping, request), changesBy(db, mapping)])
  return { person, ...result }
}

async function tryPerson(
  db: Queryable,
  mapping: GroupMapping,
  { email, groups }: { email: string | undefined; groups: string[] | undefined },
): Promise<MappingResult['person']> {
  if (email === undefined && groups === undefined) return null
  const found = email === undefined ? undefined : await findGroupsByEmail(db, email)
  const memberOf = groups ?? (found?.groups ? groupsOf(found.groups, mapping) : undefined)
  return {
    name: found?.name ?? email ?? '',
    isKnown: memberOf !== undefined,
    rights: memberOf ? rightsOfGroups(mapping, memberOf) : null,
  }
}

async function changesBy(
  db: Queryable,
  mapping: GroupMapping,
): Promise<Pick<MappingResult, 'people' | 'changes' | 'lastAdministratorLost'>> {
  const people = await listPeopleOfGroups(db)
  const results = people.map((person) => ({ person, after: mappedRights(mapping, person.groups) }))
  const changes = results
    .filter(({ person, after }) => after === null || !isSame(person, after))
    .map(({ person: { id, name, role, allSites, siteIds }, after }) => ({
      id,
      name,
      before: { role, allSites, siteIds },
      after,
    }))
  const hadOne = people.some(({ role }) => role === 'admin')
  const hasOne = results.some(({ person, after }) => person.role === 'admin' && after?.role === 'admin')
  const lastAdministratorLost = hadOne && !hasOne && !(await hasAdministratorWithoutGroups(db))
  return { people: people.length, changes, lastAdministratorLost }
}

function mappedRights(mapping: GroupMapping, groups: ClaimLists): Rights | null {
  const rights = rightsOfGroups(mapping, groupsOf(groups, mapping))
  return rights && { role: rights.role, allSites: rights.allSites, siteIds: rights.siteIds }
}

/** Every object has a property `constructor`, so the name of a claim alone does not find a list. */
function groupsOf(lists: ClaimLists, { claim }: GroupMapping): string[] {
  return Object.hasOwn(lists, claim) ? (lists[claim] as string[]) : []
}

function isSame(one: Rights, other: Rights): boolean {
  return (
    one.role === other.role &&
    one.allSites === other.allSites &&
    (one.allSites || one.siteIds.join() === other.siteIds.join())
  )
}
