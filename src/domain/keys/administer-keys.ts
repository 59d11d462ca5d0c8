import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { makeKey, prefixOf, type Scope, sha256Of } from './key.ts'
import {
  type ApiKey,
  type ApiKeyWithSites,
  deleteKeySites,
  findKeyToChange,
  insertKey,
  insertKeySites,
  updateKey,
  updateKeyRevoked,
} from './keys.queries.ts'

export type KeyRequest = {
  name: string
  scope: Scope
  rateLimit: number
  /** Undefined: all sites, including later ones. */
  siteIds: number[] | undefined
  expiresAt: Date | null
}

type KnownKey = { prefix: string; sha256: Buffer }

/** Returns the key's text, which cannot be read again later: only its hash is stored. */
export async function createKey(db: Database, actor: Actor, request: KeyRequest): Promise<ApiKey & { key: string }> {
  const key = makeKey()
  const known = { prefix: prefixOf(key) ?? '', sha256: sha256Of(key) }
  return { ...(await storeKey(db, actor, request, known, 'key.created')), key }
}

/** Stores a key that was made by another server of this API. Only its prefix and hash are known. */
export async function importKey(db: Database, actor: Actor, request: KeyRequest, known: KnownKey): Promise<ApiKey> {
  if (known.prefix.startsWith('vsk_')) throw new DomainError('key_prefix_reserved')
  if (prefixOf(`${known.prefix}x`) !== known.prefix) {
    throw new DomainError('key_prefix_invalid')
  }
  return storeKey(db, actor, request, known, 'key.imported')
}

async function storeKey(
  db: Database,
  actor: Actor,
  request: KeyRequest,
  known: KnownKey,
  action: string,
): Promise<ApiKey> {
  const { scope, rateLimit, siteIds, expiresAt } = request
  const name = plainName(request.name)
  checkExpiry(scope, expiresAt)
  return db.transaction(async (tx) => {
    const allSites = siteIds === undefined
    const key = await insertKey(tx, { id: uuidv7(), name, scope, rateLimit, expiresAt, allSites, ...known })
    if (!key) throw new DomainError('key_prefix_taken', { details: { prefix: known.prefix } })
    if (siteIds !== undefined) await storeSites(tx, key.id, siteIds)
    await recordAudit(tx, actor, {
      action,
      targetKind: 'key',
      targetId: key.id,
      details: { name, prefix: key.prefix, scope, rateLimit, siteIds: siteIds ?? 'all', expiresAt },
    })
    return key
  })
}

async function storeSites(tx: Queryable, keyId: string, siteIds: number[]): Promise<void> {
  const found = await insertKeySites(tx, keyId, siteIds)
  const missing = siteIds.filter((id) => !found.includes(id))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
}

/** Fields that are undefined keep their value. */
export type KeyChange = {
  name?: string | undefined
  rateLimit?: number | undefined
  siteIds?: number[] | 'all' | undefined
  expiresAt?: Date | null | undefined
}

/** Changes a key by its id, its prefix or its full text. Its scope never changes. When this returns, the change holds everywhere. */
export async function setKey(db: Database, actor: Actor, named: string, change: KeyChange): Promise<ApiKeyWithSites> {
  const changes = change.name === undefined ? change : { ...change, name: plainName(change.name) }
  return db.transaction(async (tx) => {
    const before = await findKeyToChange(tx, toPrefixOrId(named))
    if (!before) throw keyNotFound(named)
    const { name, rateLimit, siteIds, expiresAt } = { ...before, ...definedOf(changes) }
    checkExpiry(before.scope, expiresAt)
    const allSites = siteIds === 'all' || (change.siteIds === undefined && before.allSites)
    await updateKey(tx, { id: before.id, name, rateLimit, allSites, expiresAt })
    if (change.siteIds !== undefined) {
      await deleteKeySites(tx, before.id)
      if (change.siteIds !== 'all') await storeSites(tx, before.id, change.siteIds)
    }
    const details = { name: before.name, changes: definedOf(changes) }
    await recordAudit(tx, actor, { action: 'key.changed', targetKind: 'key', targetId: before.id, details })
    return (await findKeyToChange(tx, before.id)) as ApiKeyWithSites
  })
}

function definedOf<T extends object>(
  values: T,
): { [field in keyof T]: NonNullable<T[field]> | Extract<T[field], null> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

function toPrefixOrId(named: string): string {
  return isUuid(named) ? named.toLowerCase() : (prefixOf(named) ?? named)
}

function keyNotFound(named: string): DomainError {
  return new DomainError('key_not_found', { details: { named: isUuid(named) ? named : named.slice(0, 12) } })
}

/** A key that can change controllers must not stay valid in a forgotten workflow. */
function checkExpiry(scope: Scope, expiresAt: Date | null): void {
  if (scope === 'manage' && expiresAt === null) throw new DomainError('key_expiry_required')
}

/**
 * Revokes a key by its id, its prefix or its full text. When this returns, no process accepts the key any more. An error
 * never contains the secret part of the key.
 */
export async function revokeKey(db: Database, actor: Actor, named: string): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await updateKeyRevoked(tx, toPrefixOrId(named))
    if (!key) throw keyNotFound(named)
    const details = { name: key.name }
    await recordAudit(tx, actor, { action: 'key.revoked', targetKind: 'key', targetId: key.id, details })
    return key
  })
}
