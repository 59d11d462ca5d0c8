import { DomainError } from './errors.ts'
import type { IssuingLimits } from './issuing-limits.ts'

/** The roles of people in ascending order: each one includes those before it. */
export const roles = ['desk', 'manager', 'admin'] as const

export type Role = (typeof roles)[number]

export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/**
 * The person or program that acts. Only the entry points (http, commands, worker) create actors. `allSites` is false for a
 * key or a staff member that is limited to some sites. `address` is the address from which the request came. Without
 * `issuing`, the actor has no limits on issuing.
 */
export type Actor =
  | { kind: 'key'; id: string; name: string; allSites: boolean; address?: string; issuing?: IssuingLimits }
  | {
      kind: 'staff'
      id: string
      name: string
      role: Role
      allSites: boolean
      address?: string
      issuing?: IssuingLimits
    }
  | { kind: 'command'; name: string }
  | { kind: 'service'; address?: string }

/** An actor that creates and revokes vouchers: a key or a staff member. */
export type Requester = Extract<Actor, { allSites: boolean }>

/** A requester as the record names it, whatever sites it may use now. */
export type Maker = { kind: Requester['kind']; id: string; name: string }

export const service: Actor = { kind: 'service' }

/** Identifies the actor in the `actor` column, to which its Idempotency-Keys belong. */
export function actorReference({ kind, id }: Pick<Maker, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}

/** The actor whose sites limit a query (`onlySitesOf`); null when the actor may use all sites. */
export function limitingActorId(actor: Actor): string | null {
  return 'allSites' in actor && !actor.allSites ? actor.id : null
}

/**
 * Rejects actors that are limited to some sites, and people who are not administrators. They may not use controllers, add
 * sites or change anything that is for all sites.
 */
export function requireAllSites(actor: Actor): void {
  if (!mayUseAllSites(actor)) throw new DomainError('all_sites_required')
}

export function mayUseAllSites(actor: Actor): boolean {
  return limitingActorId(actor) === null && (actor.kind !== 'staff' || actor.role === 'admin')
}

/** The columns in which a row names the actor that made it. */
export function actorColumns({ kind, id }: Maker): { apiKeyId: string | null; staffId: string | null } {
  return kind === 'key' ? { apiKeyId: id, staffId: null } : { apiKeyId: null, staffId: id }
}

/** The name as the audit keeps it. */
export function actorName(actor: Actor): string {
  return actor.kind === 'service' ? 'voucher-service' : actor.name
}

/** The source of a voucher as notifications show it. */
export function sourceName({ kind, name }: Maker): string {
  return kind === 'key' ? `API: ${name}` : name
}
