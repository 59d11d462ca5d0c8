import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { onceByKey, type RepeatableRequest } from './idempotency.ts'
import { findEarlierRequest, insertRequest, updateRequestResult } from './remembered-requests.queries.ts'

/**
 * Does the work of a request in one transaction, once for its Idempotency-Key. The result is stored in the same commit,
 * so a request that fails can be repeated. The result is stored as JSON, so it must not contain dates or other objects
 * that JSON changes. `target`: the id of the voucher that the operation changes, because the contents may have the name of its
 * guest.
 */
export function onceInTransaction<T extends object>(
  { db, keyring }: { db: Database; keyring: Keyring },
  { operation, target }: { operation: string; target?: string },
  request: RepeatableRequest,
  work: (tx: Queryable) => Promise<T>,
): Promise<{ result: T; isRepeat: boolean }> {
  const { actor, idempotencyKey } = request
  const keyOf = (key: string) => ({ actor, operation, idempotencyKey: key })
  return onceByKey<T>(keyring, request, {
    find: (key) => findEarlierRequest<T>(db, keyOf(key)),
    create: (requestHash) =>
      db.transaction(async (tx) => {
        if (idempotencyKey === undefined) return work(tx)
        if (!(await insertRequest(tx, keyOf(idempotencyKey), { requestHash, target: target ?? null }))) return undefined
        const result = await work(tx)
        await updateRequestResult(tx, keyOf(idempotencyKey), result)
        return result
      }),
  })
}
