import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { makeKey, prefixOf, type Scope, sha256Of } from './key.ts'
import { type ApiKey, insertKey, insertKeySites, updateKeyRevoked } from './keys.queries.ts'

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
    if (siteIds !== undefined) {
      const found = await insertKeySites(tx, key.id, siteIds)
      const missing = siteIds.filter((id) => !found.includes(id))
      if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
    }
    await recordAudit(tx, actor, {
      action,
      targetKind: 'key',
      targetId: key.id,
      details: { name, prefix: key.prefix, scope, rateLimit, siteIds: siteIds ?? 'all', expiresAt },
    })
    return key
  })
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
  const prefixOrId = isUuid(named) ? named : (prefixOf(named) ?? named)
  return db.transaction(async (tx) => {
    const key = await updateKeyRevoked(tx, prefixOrId)
    if (!key) throw new DomainError('key_not_found', { details: { named: isUuid(named) ? named : named.slice(0, 12) } })
    const details = { name: key.name }
    await recordAudit(tx, actor, { action: 'key.revoked', targetKind: 'key', targetId: key.id, details })
    return key
  })
}
