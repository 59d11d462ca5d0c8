import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { type ApiKey, updateKeyRevoked } from './keys.queries.ts'

/** When this returns, no process accepts the key any more. */
export async function revokeKey(db: Database, prefixOrId: string): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await updateKeyRevoked(tx, prefixOrId)
    if (!key) throw new CommandRefused(`No key has the prefix or id ${prefixOrId}.`)
    await recordAudit(tx, { action: 'key.revoked', targetKind: 'key', targetId: key.id, details: { name: key.name } })
    return key
  })
}
