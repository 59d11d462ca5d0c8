import type { Queryable } from '#db/database.ts'
import { rowsPerDeletion } from '#db/retention.queries.ts'
import { repeatWhileFull } from '#lib/pieces.ts'
import { updateLostSitesDeleted } from '../webhooks/webhooks.queries.ts'
import {
  deleteEventsWithoutDeliveries,
  deleteLostPage,
  listWebhooksWithLostSites,
  type PageEnd,
} from './lost-deliveries.queries.ts'

const webhooksPerSweep = 1_000

/**
 * Deletes the deliveries of removed webhooks and of sites that a webhook lost, in pieces, and then the removed webhooks. A
 * request never does this: a webhook may have millions of deliveries. Returns how many deliveries were deleted.
 */
export async function deleteLostDeliveries(db: Queryable): Promise<number> {
  let total = 0
  for (const webhook of await listWebhooksWithLostSites(db, webhooksPerSweep)) {
    let after: PageEnd | undefined
    let left = 0
    await repeatWhileFull(rowsPerDeletion, async () => {
      const { read, lost, eventIds, last } = await deleteLostPage(db, webhook.id, after, rowsPerDeletion)
      await deleteEventsWithoutDeliveries(db, eventIds)
      after = last ?? after
      left += lost - eventIds.length
      total += eventIds.length
      return read
    })
    if (left === 0) await updateLostSitesDeleted(db, webhook)
  }
  return total
}
