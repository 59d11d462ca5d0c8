import type { Database } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { type KeyWithSecret, lockKey, makeSecret } from './administer-keys.ts'
import { insertKeySecret, updateSecretsEnd } from './key-secrets.queries.ts'
import { findKey } from './keys.queries.ts'

/** How long an old secret may still work. */
export const maxGraceDays = 30
/** Clients compute the end with their own clock, which may be ahead. */
const clockToleranceMs = 3_600_000

export type RollRequest = {
  /** The key's id, or a prefix or the full text of its secret. */
  named: string
  /** The prefix that the actor has seen. If the key has another one by now, somebody else has rolled it. */
  currentPrefix: string | undefined
  /** The end of the secrets that exist; null ends them at once. */
  oldValidUntil: Date | null
  /** The letter of this cell. Undefined when there is only one cell. */
  cell?: string | undefined
}

/**
 * Gives a key a new secret. Its id, limit, usage and Idempotency-Keys stay. All secrets that exist end at the given time; one that
 * would end earlier keeps its end. So after that time only the new secret works, however often the key was rolled before.
 */
export async function rollKey(db: Database, actor: Actor, request: RollRequest): Promise<KeyWithSecret> {
  const { oldValidUntil } = request
  return db.transaction(async (tx) => {
    const { id, name, prefix: oldPrefix, revokedAt, expiresAt, now } = await lockKey(tx, request.named)
    if (revokedAt) throw new DomainError('key_revoked')
    if (expiresAt && expiresAt <= now) throw new DomainError('key_expired')
    if (request.currentPrefix !== undefined && request.currentPrefix !== oldPrefix)
      throw new DomainError('key_rolled', { details: { prefix: oldPrefix } })
    if (oldValidUntil) checkGrace(oldValidUntil, now)
    const { key, ...secret } = makeSecret(request.cell)
    await updateSecretsEnd(tx, id, oldValidUntil)
    if (!(await insertKeySecret(tx, id, secret)))
      throw new DomainError('key_prefix_taken', { details: { prefix: secret.prefix } })
    await recordAudit(tx, actor, {
      action: 'key.rolled',
      targetKind: 'key',
      targetId: id,
      details: { name, oldPrefix, prefix: secret.prefix, oldValidUntil: oldValidUntil ?? now },
    })
    return { ...((await findKey(tx, id)) as KeyWithSecret), key }
  })
}

function checkGrace(oldValidUntil: Date, now: Date): void {
  const graceMs = oldValidUntil.getTime() - now.getTime()
  if (graceMs <= 0) throw new DomainError('key_grace_passed')
  if (graceMs > maxGraceDays * 86_400_000 + clockToleranceMs)
    throw new DomainError('key_grace_too_long', { details: { max: maxGraceDays } })
}
