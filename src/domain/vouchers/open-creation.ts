import type { Database, Queryable } from '#db/database.ts'
import { DomainError } from '../errors.ts'
import { actorId, type CreationRequest, hashOf, type Intent, type RecordedCreation } from './creation.ts'
import { findCreationByKey, insertCreation, releaseIdempotencyKey } from './creations.queries.ts'

/** The first answer to this Idempotency-Key; undefined when the request is free to go on. */
export async function findAnswer(db: Queryable, request: CreationRequest): Promise<RecordedCreation | undefined> {
  const { actor, idempotencyKey, contents } = request
  if (idempotencyKey === undefined) return undefined
  const known = await findCreationByKey(db, actorId(actor), idempotencyKey)
  if (!known) return undefined
  if (!known.requestHash.equals(hashOf(contents))) throw new DomainError('idempotency_mismatch')
  const { siteId, id: creationId, state, voucherId, answer } = known
  if (state === 'recorded' && voucherId && answer) return { creationId, siteId, voucherId, answer }
  if (state === 'open' || state === 'unknown') throw new DomainError('idempotency_in_progress')
  return undefined // it came to nothing: this is a new attempt
}

/**
 * Commits what is about to be asked of the controller. An earlier attempt with the same key that came to nothing keeps its
 * own row: its voucher might still turn up.
 */
export async function openCreation(db: Database, intent: Intent): Promise<void> {
  if (await insertCreation(db, intent)) return
  const reopened = await db.transaction(async (tx) => {
    await releaseIdempotencyKey(tx, intent)
    return insertCreation(tx, intent)
  })
  if (!reopened) throw new DomainError('idempotency_in_progress') // another attempt was faster by a moment
}
