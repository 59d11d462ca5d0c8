import type { Database, Queryable } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { listWantedEvents, type RevokedVoucher } from '../deliveries/events.queries.ts'
import { notifyChanged, notifyRevoked } from '../deliveries/notify-webhooks.ts'
import { takeEnds, takeFirstUses } from '../vouchers/told-facts.queries.ts'
import type { EventType } from '../webhooks/event-types.ts'

/** Changes that one statement of a sync made. `firstUsed` and `expired` are ids. */
type Changes = {
  firstUsed?: string[]
  expired?: string[]
  revoked?: RevokedVoucher[]
}

export type SyncEvents = {
  /** Runs a statement in a transaction, to which `tell` adds events. If no webhook wants events, there is no transaction. */
  commit<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Adds the events for these changes. */
  tell(tx: Queryable, changes: Changes): Promise<void>
}

const syncEvents: EventType[] = ['voucher.first_used', 'voucher.expired', 'voucher.revoked']

/** Prepares the events of one sync. It asks once whether any webhook wants them: a sync of a big site has many statements. */
export async function startEvents(
  { db, queue }: { db: Database; queue: Queue },
  site: { id: number; name: string },
): Promise<SyncEvents> {
  const wanted = await listWantedEvents(db, site.id)
  if (!wanted.some((type) => syncEvents.includes(type))) return { commit: (work) => work(db), tell: async () => {} }
  return {
    commit: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx)
        reachPoint('before event commit')
        return result
      }),
    async tell(tx, { firstUsed = [], expired = [], revoked = [] }) {
      const used = firstUsed.length > 0 ? await takeFirstUses(tx, site.id, firstUsed) : []
      const ended = expired.length > 0 ? await takeEnds(tx, site.id, expired) : []
      await notifyChanged(tx, queue, 'voucher.first_used', { site, changed: used })
      await notifyChanged(tx, queue, 'voucher.expired', { site, changed: ended })
      await notifyRevoked(tx, queue, site, revoked)
    },
  }
}
