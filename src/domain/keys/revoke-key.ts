import { validate as isUuid } from 'uuid'
import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { prefixOf } from './key.ts'
import { type ApiKey, updateKeyRevoked } from './keys.queries.ts'

/** When this returns, no process accepts the key any more. Takes a whole key as well, and never repeats its secret. */
export async function revokeKey(db: Database, named: string): Promise<ApiKey> {
  const prefixOrId = isUuid(named) ? named : (prefixOf(named) ?? named)
  return db.transaction(async (tx) => {
    const key = await updateKeyRevoked(tx, prefixOrId)
    if (!key) throw new CommandRefused(`No key has the prefix or id ${isUuid(named) ? named : named.slice(0, 12)}.`)
    await recordAudit(tx, { action: 'key.revoked', targetKind: 'key', targetId: key.id, details: { name: key.name } })
    return key
  })
}
