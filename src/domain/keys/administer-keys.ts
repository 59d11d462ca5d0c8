import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { Actor } from '../actor.ts'
import { changed, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import type { RepeatableRequest } from '../idempotency.ts'
import type { IssuingChange } from '../issuing-limits.ts'
import { plainName } from '../plain-name.ts'
import { onceInTransaction } from '../remembered-requests.ts'
import { cellOf, defaultRateLimit, makeKey, prefixOf, type Scope, sha256Of } from './key.ts'
import { insertKeySecret, type NewSecret } from './key-secrets.queries.ts'
import {
  type ApiKeyWithSites,
  deleteKeySites,
  findKey,
  findKeyToChange,
  insertKey,
  insertKeySites,
  updateKey,
  updateKeyRevoked,
} from './keys.queries.ts'

export type KeyRequest = IssuingChange & {
  name: string
  scope: Scope
  rateLimit: number
  /** Undefined: all sites, including later ones. */
  siteIds: number[] | undefined
  expiresAt: Date | null
  /** The letter of this cell. Undefined when there is only one cell. */
  cell?: string | undefined
}

/** A key with the text of its secret, which cannot be read again later: only its hash is stored. */
export type KeyWithSecret = ApiKeyWithSites & { key: string }

export function createKey(db: Database, actor: Actor, request: KeyRequest): Promise<KeyWithSecret> {
  return db.transaction((tx) => createKeyIn(tx, actor, request))
}

/**
 * Creates a key once for the Idempotency-Key of the request. A repeat creates nothing, and it cannot get the secret, because
 * the secret is not stored: the error names the key, which can then be rolled.
 */
export async function createKeyOnce(
  ctx: { db: Database; keyring: Keyring },
  request: RepeatableRequest & { wanted: KeyRequest },
): Promise<KeyWithSecret> {
  let created: KeyWithSecret | undefined
  const { result } = await onceInTransaction(ctx, { operation: 'create key' }, request, async (tx) => {
    created = await createKeyIn(tx, request.actor, request.wanted)
    return { prefix: created.prefix }
  })
  if (!created) throw new DomainError('key_created_before', { details: { prefix: result.prefix } })
  return created
}

async function createKeyIn(tx: Queryable, actor: Actor, request: KeyRequest): Promise<KeyWithSecret> {
  const { key, ...secret } = makeSecret(request.cell)
  return { ...(await storeKey(tx, actor, request, secret, 'key.created')), key }
}

/**
 * The key that stands for another system as the maker of its vouchers. It is revoked and nobody knows its secret, so it can do nothing
 * but be shown.
 */
export async function createMaker(tx: Queryable, actor: Actor, name: string): Promise<string> {
  const request: KeyRequest = { name, scope: 'read', rateLimit: defaultRateLimit, siteIds: [], expiresAt: null }
  const { key: _, ...secret } = makeSecret(undefined)
  const { id } = await storeKey(tx, actor, request, secret, 'key.created')
  await updateKeyRevoked(tx, id)
  return id
}

/** Creates a new secret: its text, and what is stored of it. */
export function makeSecret(cell: string | undefined): NewSecret & { key: string } {
  const key = makeKey(cell)
  return { key, prefix: prefixOf(key) ?? '', sha256: sha256Of(key) }
}

/** Stores a key that was made by another server of this API or by another cell. Only its prefix and hash are known. */
export async function importKey(
  db: Database,
  actor: Actor,
  request: KeyRequest,
  secret: NewSecret,
): Promise<ApiKeyWithSites> {
  return db.transaction((tx) => importKeyIn(tx, actor, request, secret))
}

export async function importKeyIn(
  tx: Queryable,
  actor: Actor,
  request: KeyRequest,
  { prefix, sha256 }: NewSecret,
): Promise<ApiKeyWithSites> {
  const isOfOtherCell = /^vsk_[A-Z]_[A-Za-z0-9]{8}$/.test(prefix) && cellOf(prefix) !== request.cell
  if (!isOfOtherCell) {
    if (prefix.startsWith('vsk_')) throw new DomainError('key_prefix_reserved')
    if (prefixOf(`${prefix}x`) !== prefix) throw new DomainError('key_prefix_invalid')
  }
  return storeKey(tx, actor, request, { prefix, sha256 }, 'key.imported')
}

async function storeKey(
  tx: Queryable,
  actor: Actor,
  request: KeyRequest,
  secret: NewSecret,
  action: string,
): Promise<ApiKeyWithSites> {
  const { scope, rateLimit, siteIds, expiresAt, vouchersPerDay = null, longestMinutes = null } = request
  const limits = { rateLimit, vouchersPerDay, longestMinutes }
  const { prefix } = secret
  const id = uuidv7()
  const name = plainName(request.name)
  checkExpiry(scope, expiresAt)
  await insertKey(tx, { id, name, scope, ...limits, expiresAt, allSites: siteIds === undefined })
  if (!(await insertKeySecret(tx, id, secret))) throw new DomainError('key_prefix_taken', { details: { prefix } })
  if (siteIds !== undefined) await storeSites(tx, id, siteIds)
  await recordAudit(tx, actor, {
    action,
    targetKind: 'key',
    targetId: id,
    details: { name, prefix, scope, ...limits, siteIds: siteIds ?? 'all', expiresAt },
  })
  return (await findKey(tx, id)) as ApiKeyWithSites
}

async function storeSites(tx: Queryable, keyId: string, siteIds: number[]): Promise<void> {
  const found = await insertKeySites(tx, keyId, siteIds)
  const missing = siteIds.filter((id) => !found.includes(id))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
}

/** Fields that are undefined keep their value. */
export type KeyChange = IssuingChange & {
  name?: string | undefined
  rateLimit?: number | undefined
  siteIds?: number[] | 'all' | undefined
  expiresAt?: Date | null | undefined
}

/**
 * Changes a key by its id, a prefix or the full text of a secret. Its scope never changes. When this returns, the change holds
 * everywhere.
 */
export async function setKey(db: Database, actor: Actor, named: string, change: KeyChange): Promise<ApiKeyWithSites> {
  const changes = change.name === undefined ? change : { ...change, name: plainName(change.name) }
  return db.transaction(async (tx) => {
    const before = await lockKey(tx, named)
    if (before.revokedAt) throw new DomainError('key_revoked')
    const { siteIds, ...after } = { ...before, ...definedOf(changes) }
    checkExpiry(before.scope, after.expiresAt)
    const allSites = siteIds === 'all' || (change.siteIds === undefined && before.allSites)
    await updateKey(tx, { ...after, allSites })
    if (change.siteIds !== undefined) {
      await deleteKeySites(tx, before.id)
      if (change.siteIds !== 'all') await storeSites(tx, before.id, change.siteIds)
    }
    const sitesBefore = before.allSites ? ('all' as const) : before.siteIds
    const entry = { action: 'key.changed', targetKind: 'key', targetId: before.id, details: { name: before.name } }
    await recordChange(tx, actor, entry, changed({ ...before, siteIds: sitesBefore }, changes))
    return (await findKey(tx, before.id)) as ApiKeyWithSites
  })
}

function definedOf<T extends object>(
  values: T,
): { [field in keyof T]: NonNullable<T[field]> | Extract<T[field], null> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

/** Locks the key that has this id, prefix or secret. An error never contains the secret part. */
export async function lockKey(tx: Queryable, named: string): Promise<ApiKeyWithSites & { now: Date }> {
  const prefixOrId = isUuid(named) ? named.toLowerCase() : (prefixOf(named) ?? named)
  const key = await findKeyToChange(tx, prefixOrId)
  if (key) return key
  throw new DomainError('key_not_found', { details: { named: isUuid(named) ? named : named.slice(0, 12) } })
}

/** A key that can change controllers must not stay valid in a forgotten workflow. */
function checkExpiry(scope: Scope, expiresAt: Date | null): void {
  if (scope === 'manage' && expiresAt === null) throw new DomainError('key_expiry_required')
}

/**
 * Revokes a key with all its secrets, by its id, a prefix or the full text of a secret. When this returns, no process accepts
 * the key any more.
 */
export async function revokeKey(db: Database, actor: Actor, named: string): Promise<ApiKeyWithSites> {
  return db.transaction(async (tx) => {
    const { id, name } = await lockKey(tx, named)
    await updateKeyRevoked(tx, id)
    await recordAudit(tx, actor, { action: 'key.revoked', targetKind: 'key', targetId: id, details: { name } })
    return (await findKey(tx, id)) as ApiKeyWithSites
  })
}
