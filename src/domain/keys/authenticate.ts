import type { Queryable } from '#db/database.ts'
import { gatherCalls } from '#lib/gather-calls.ts'
import { matches, prefixOf } from './key.ts'
import { findKeyWithListVersion, type KeyAtWork } from './keys.queries.ts'

export type Authenticate = (presented: string, siteId: number | null) => Promise<KeyAtWork | undefined>

/**
 * Looks up the presented key; undefined when it is unknown, wrong, expired or revoked. Concurrent requests of one key
 * share a read, but only a read that starts after they arrived. So a revocation takes effect at once.
 */
export function createAuthenticate(db: Queryable): Authenticate {
  const gather = gatherCalls<KeyAtWork>()
  return async (presented, siteId) => {
    const prefix = prefixOf(presented)
    if (prefix === undefined) return undefined
    const { result: key } = await gather(`${prefix} ${siteId}`, async () =>
      Object.freeze(await findKeyWithListVersion(db, prefix, siteId)),
    )
    return matches(presented, key.sha256) && key.live ? key : undefined
  }
}
