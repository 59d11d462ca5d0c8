import { type Role, roles } from '../actor.ts'
import type { Rights } from '../people/staff-rights.ts'

/** The role and sites that a group gives. `siteIds` is null for all sites. */
type GroupRights = { group: string; role: Role; siteIds: number[] | null }

/** `claim` is the path of the claim that lists the groups, such as `groups` or `realm_access.roles`. */
export type GroupMapping = { claim: string; groups: GroupRights[] }

/** `matched`: the groups of the table that the person has. */
export type MappedRights = Rights & { matched: string[] }

export const noMapping: GroupMapping = { claim: 'groups', groups: [] }

/** The rights that a person gets from groups; null if none of the groups gives any. The strongest role wins, and sites add up. */
export function rightsOfGroups({ groups }: GroupMapping, memberOf: readonly string[]): MappedRights | null {
  const matching = groups.filter(({ group }) => memberOf.includes(group))
  const role = roles.findLast((known) => matching.some((entry) => entry.role === known))
  if (role === undefined) return null
  const allSites = role === 'admin' || matching.some(({ siteIds }) => siteIds === null)
  const siteIds = allSites ? [] : [...new Set(matching.flatMap((entry) => entry.siteIds ?? []))].sort((a, b) => a - b)
  return { role, allSites, siteIds, matched: matching.map(({ group }) => group) }
}

/** A path of claims: names with dots between them. */
export const claimPattern = '^[^\\s.\\u0000-\\u001f\\u007f]+(\\.[^\\s.\\u0000-\\u001f\\u007f]+)*$'
