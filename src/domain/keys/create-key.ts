import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { makeKey, prefixOf, type Scope, sha256Of } from './key.ts'
import { type ApiKey, insertKey, insertKeySites } from './keys.queries.ts'

export type KeyRequest = {
  name: string
  scope: Scope
  rateLimit: number
  /** Undefined: all sites, also those to come. */
  siteIds: number[] | undefined
  expiresAt: Date | null
}

type KnownKey = { prefix: string; sha256: Buffer }

/** The text of the key is returned here and never again: only its hash is kept. */
export async function createKey(db: Database, request: KeyRequest): Promise<ApiKey & { key: string }> {
  const key = makeKey()
  const known = { prefix: prefixOf(key) ?? '', sha256: sha256Of(key) }
  return { ...(await storeKey(db, request, known, 'key.created')), key }
}

/** Takes over a key of another server of this API, of which only the hash is known. */
export async function importKey(db: Database, request: KeyRequest, known: KnownKey): Promise<ApiKey> {
  if (known.prefix.startsWith('vsk_')) throw new CommandRefused('The word vsk is for keys that were made here.')
  if (prefixOf(`${known.prefix}x`) !== known.prefix) {
    throw new CommandRefused('A prefix is a word, an underscore and eight letters or digits, e.g. abc_1a2B3c4D.')
  }
  return storeKey(db, request, known, 'key.imported')
}

async function storeKey(db: Database, request: KeyRequest, known: KnownKey, action: string): Promise<ApiKey> {
  const { scope, rateLimit, siteIds, expiresAt } = request
  const name = plainName(request.name)
  return db.transaction(async (tx) => {
    const allSites = siteIds === undefined
    const key = await insertKey(tx, { id: uuidv7(), name, scope, rateLimit, expiresAt, allSites, ...known })
    if (!key) throw new CommandRefused(`A key with the prefix ${known.prefix} exists already.`)
    if (siteIds !== undefined) {
      const found = await insertKeySites(tx, key.id, siteIds)
      const missing = siteIds.filter((id) => !found.includes(id))
      if (missing.length > 0) throw new CommandRefused(`No site has the id ${missing.join(', ')}.`)
    }
    await recordAudit(tx, {
      action,
      targetKind: 'key',
      targetId: key.id,
      details: { name, prefix: key.prefix, scope, rateLimit, siteIds: siteIds ?? 'all', expiresAt },
    })
    return key
  })
}
