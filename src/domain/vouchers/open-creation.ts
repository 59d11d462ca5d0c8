import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError } from '../errors.ts'
import { actorId, type CreatedVoucher, type CreationRequest, requestHash } from './creation.ts'
import { findCreationByKey, insertCreation } from './creations.queries.ts'

/** The first answer to this Idempotency-Key; undefined when the request is free to go on. */
export async function findAnswer(db: Queryable, request: CreationRequest): Promise<CreatedVoucher | undefined> {
  const { actor, idempotencyKey } = request
  if (idempotencyKey === undefined) return undefined
  const known = await findCreationByKey(db, actorId(actor), idempotencyKey).catch((cause) => {
    throw cause instanceof Unavailable ? new DomainError('repeat_unavailable', { cause }) : cause
  })
  if (!known) return undefined
  if (!known.requestHash.equals(requestHash(request))) throw new DomainError('idempotency_mismatch')
  if (known.state === 'recorded' && known.answer) return known.answer
  if (known.state === 'open' || known.state === 'unknown') throw new DomainError('idempotency_in_progress')
  return undefined // it came to nothing: this is a new attempt
}

/** Commits what is about to be asked of the controller, under the name that it will have there. */
export async function openCreation(
  db: Queryable,
  request: CreationRequest,
  storedName: string,
): Promise<{ siteId: number; id: string }> {
  const { actor, siteId, idempotencyKey, shape } = request
  const id = await insertCreation(db, {
    siteId,
    id: uuidv7(),
    actor: actorId(actor),
    apiKeyId: actor.apiKeyId,
    idempotencyKey,
    requestHash: requestHash(request),
    shape: { ...shape, name: storedName },
  })
  if (id === undefined) throw new DomainError('idempotency_in_progress') // another attempt was faster by a moment
  return { siteId, id }
}
