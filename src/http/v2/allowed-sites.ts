import type { Queryable } from '#db/database.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { listAllowedSiteIds, listSiteIdsOfKey } from '#domain/sites/site-states.queries.ts'
import { Refused } from './problems.ts'

export function onlyForKey(key: KeyAtWork): string | null {
  return key.allSites ? null : key.id
}

/** The named sites, all of which the key must be allowed to see; else every site of the key. */
export async function allowedSites(
  db: Queryable,
  key: KeyAtWork,
  named: number[] | undefined,
): Promise<number[] | 'all'> {
  if (named === undefined) return key.allSites ? 'all' : listSiteIdsOfKey(db, key.id)
  const wanted = [...new Set(named)]
  const allowed = await listAllowedSiteIds(db, wanted, onlyForKey(key))
  if (allowed.length < wanted.length) throw new Refused('not_found')
  return allowed
}
