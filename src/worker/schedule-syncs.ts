import type { Database } from '#db/database.ts'
import { takeSitesDueForSync } from '#domain/sites/sync-times.queries.ts'
import type { Queue } from '#queue/queue.ts'

const atOnce = 200

/** Makes a job of every site that is due. A site has one at a time, a controller few. */
export async function scheduleSyncs({ db, queue }: { db: Database; queue: Queue }): Promise<number> {
  return db.transaction(async (tx) => {
    const sites = await takeSitesDueForSync(tx, atOnce)
    const jobs = sites.map(({ id, controllerId }) => ({
      data: { siteId: id },
      onlyOne: String(id),
      group: controllerId,
    }))
    await queue.enqueue(tx, 'sync', jobs)
    return sites.length
  })
}
