import { type Database, type Queryable, retryShortly, retryTransaction } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { listWantedEvents, type RevokedVoucher } from '../deliveries/events.queries.ts'
import { notifyChanged, notifyRevoked } from '../deliveries/notify-webhooks.ts'
import { updateEndNotified, updateFirstUseNotified } from '../record/end-vouchers.queries.ts'
import type { EventType } from '../webhooks/event-types.ts'

/** Changes that one statement of a sync made. `firstUsed` and `expired` are ids. */
type Changes = {
  firstUsed?: string[]
  expired?: string[]
  revoked?: RevokedVoucher[]
}

export type SyncEvents = {
  /**
   * Runs a statement in a transaction, to which `notify` adds events. If no webhook is subscribed to events of a sync, the
   * statement runs without a transaction. Retries after an error. If an earlier attempt was committed, a repeat changes and
   * notifies nothing.
   */
  commit<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Adds the events for these changes. */
  notify(tx: Queryable, changes: Changes): Promise<void>
}

const syncEvents: EventType[] = ['voucher.first_used', 'voucher.expired', 'voucher.revoked']

/**
 * Prepares the events of one sync. Checks once whether any webhook is subscribed to them, because a sync of a big site has
 * many statements.
 */
export async function startEvents(
  { db, queue }: { db: Database; queue: Queue },
  site: { id: number; name: string },
): Promise<SyncEvents> {
  const wanted = await listWantedEvents(db, site.id)
  if (!wanted.some((type) => syncEvents.includes(type)))
    return { commit: (work) => retryShortly(() => work(db)), notify: async () => {} }
  return {
    commit: (work) =>
      retryTransaction(db, async (tx) => {
        const result = await work(tx)
        reachPoint('before event commit')
        return result
      }),
    async notify(tx, { firstUsed = [], expired = [], revoked = [] }) {
      const used = firstUsed.length > 0 ? await updateFirstUseNotified(tx, site.id, firstUsed) : []
      const ended = expired.length > 0 ? await updateEndNotified(tx, site.id, expired) : []
      await notifyChanged(tx, queue, 'voucher.first_used', { site, changed: used })
      await notifyChanged(tx, queue, 'voucher.expired', { site, changed: ended })
      await notifyRevoked(tx, queue, site, revoked)
    },
  }
}
