import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'
import { actorId, type CreationRequest, type RecordedCreation, requestHash } from './creation.ts'
import { findCreationByKey, insertCreation, releaseIdempotencyKey } from './creations.queries.ts'

/** The first answer to this Idempotency-Key; undefined when the request is free to go on. */
export async function findAnswer(db: Queryable, request: CreationRequest): Promise<RecordedCreation | undefined> {
  const { actor, idempotencyKey } = request
  if (idempotencyKey === undefined) return undefined
  const known = await findCreationByKey(db, actorId(actor), idempotencyKey)
  if (!known) return undefined
  if (!known.requestHash.equals(requestHash(request))) throw new DomainError('idempotency_mismatch')
  const { siteId, id: creationId, state, voucherId, answer } = known
  if (state === 'recorded' && voucherId && answer) return { creationId, siteId, voucherId, answer }
  if (state === 'open' || state === 'unknown') throw new DomainError('idempotency_in_progress')
  return undefined // it came to nothing: this is a new attempt
}

/**
 * Commits what is about to be asked of the controller, as it will stand there. An earlier attempt with the same key that came to nothing keeps its own row: its voucher might still turn up.
 */
export async function openCreation(db: Database, request: CreationRequest, asked: VoucherShape): Promise<string> {
  const { actor, siteId, idempotencyKey, reference, validUntil } = request
  const creation = {
    siteId,
    id: uuidv7(),
    actor: actorId(actor),
    apiKeyId: actor.apiKeyId,
    idempotencyKey,
    requestHash: requestHash(request),
    shape: asked,
    reference,
    validUntil,
  }
  if (await insertCreation(db, creation)) return creation.id
  const reopened = await db.transaction(async (tx) => {
    await releaseIdempotencyKey(tx, creation)
    return insertCreation(tx, creation)
  })
  if (reopened) return creation.id
  throw new DomainError('idempotency_in_progress') // another attempt was faster by a moment
}
