import type { Database, Queryable } from '#db/database.ts'
import { onceByKey, type RepeatableRequest } from './idempotency.ts'
import { findEarlierRequest, insertRequest, updateRequestResult } from './remembered-requests.queries.ts'

/**
 * Does the work of a request in one transaction, once for its Idempotency-Key. The result is stored in the same commit,
 * so a request that fails can be repeated. The result is stored as JSON, so it must not contain dates or other objects
 * that JSON changes.
 */
export function onceInTransaction<T extends object>(
  db: Database,
  operation: string,
  request: RepeatableRequest,
  work: (tx: Queryable) => Promise<T>,
): Promise<{ result: T; isRepeat: boolean }> {
  const { actor, idempotencyKey } = request
  const keyOf = (key: string) => ({ actor, operation, idempotencyKey: key })
  return onceByKey<T>(request, {
    find: (key) => findEarlierRequest<T>(db, keyOf(key)),
    create: (requestHash) =>
      db.transaction(async (tx) => {
        if (idempotencyKey === undefined) return work(tx)
        if (!(await insertRequest(tx, keyOf(idempotencyKey), requestHash))) return undefined
        const result = await work(tx)
        await updateRequestResult(tx, keyOf(idempotencyKey), result)
        return result
      }),
  })
}
