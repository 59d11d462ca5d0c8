import type { Queryable } from '#db/database.ts'
import { matches, prefixOf } from './key.ts'
import { findKeyWithListVersion, type KeyAtWork } from './keys.queries.ts'

/** The key behind the text as it is at this moment, or undefined. Nothing is remembered, so a revocation holds at once. */
export async function authenticate(
  db: Queryable,
  presented: string,
  siteId: number | null,
): Promise<KeyAtWork | undefined> {
  const prefix = prefixOf(presented)
  if (prefix === undefined) return undefined
  const key = await findKeyWithListVersion(db, prefix, siteId)
  return matches(presented, key.sha256) && key.live ? key : undefined
}
