import type { Queryable } from '#db/database.ts'
import type { Batch } from '#domain/batches/batch.ts'
import { findBatch } from '#domain/batches/batches.queries.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { allowedSites } from './allowed-sites.ts'
import { Refused } from './problems.ts'
import { readPublicId } from './public-id.ts'

/** A batch that the key may not see does not exist for it. */
export async function seenBatch(db: Queryable, key: KeyAtWork, text: string): Promise<Batch> {
  const place = readPublicId(text)
  if (!place) throw new Refused('not_found')
  await allowedSites(db, key, [place.siteId])
  const batch = await findBatch(db, place)
  if (!batch) throw new Refused('not_found')
  return batch
}
