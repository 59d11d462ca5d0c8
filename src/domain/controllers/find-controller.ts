import type { Queryable } from '#db/database.ts'
import { DomainError } from '../errors.ts'
import { type ControllerRef, listSimilarControllers } from './controllers.queries.ts'

/** The error for a controller that does not exist, with the names that resemble the given one. */
export async function controllerNotFound(db: Queryable, ref: ControllerRef): Promise<DomainError> {
  if (typeof ref !== 'string')
    return new DomainError('controller_not_found', { details: { name: ref.id, similar: '' } })
  const similar = await listSimilarControllers(db, ref)
  return new DomainError('controller_not_found', { details: { name: ref, similar: similar.join(', ') } })
}
