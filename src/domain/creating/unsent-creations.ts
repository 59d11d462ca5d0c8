import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '#db/database.ts'
import type { Observer } from '#lib/observer.ts'
import { updateCreationsFailed } from './creations.queries.ts'

/** Creations that certainly made no voucher, while the database could not be told so. */
export type UnsentCreations = {
  /** Settles these creations as rejected as soon as the database answers. */
  add(siteId: number, ids: string[]): void
  stop(): Promise<void>
}

const everyMs = 1_000
/** Creations beyond this many, the oldest first, are left to the lookup after the settle window. */
const maxRemembered = 10_000
/**
 * A commit that this process gave up may become visible a moment after the database answers again. Afterwards the creation
 * was certainly not committed.
 */
const answersUntilForgotten = 30

type UnsentContext = { db: Queryable; observer?: Pick<Observer, 'creationsEnded'> | undefined }

/**
 * Remembers creations whose intent may be committed although this process gave up before it called the controller. Otherwise
 * their Idempotency-Keys would stay locked for the settle window.
 */
export function createUnsentCreations({ db, observer }: UnsentContext): UnsentCreations {
  const stopping = new AbortController()
  const remembered = new Map<string, { siteId: number; answers: number }>()
  let settling: Promise<void> | undefined

  async function settleAll(): Promise<void> {
    while (remembered.size > 0 && !stopping.signal.aborted) {
      const bySite = Map.groupBy([...remembered.keys()], (id) => remembered.get(id)?.siteId as number)
      for (const [siteId, ids] of bySite) if (!(await settleSite(siteId, ids))) break
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    settling = undefined
  }

  /** False when the database does not accept writes yet. */
  async function settleSite(siteId: number, ids: string[]): Promise<boolean> {
    try {
      const settled = await updateCreationsFailed(db, siteId, ids, 'rejected')
      observer?.creationsEnded('rejected', settled.length)
      for (const id of settled) remembered.delete(id)
      for (const id of ids) countAnswer(id)
      return true
    } catch {
      return false
    }
  }

  function countAnswer(id: string): void {
    const creation = remembered.get(id)
    if (!creation) return
    creation.answers += 1
    if (creation.answers >= answersUntilForgotten) remembered.delete(id)
  }

  return {
    add(siteId, ids) {
      for (const id of ids) remembered.set(id, { siteId, answers: 0 })
      for (const oldest of remembered.keys()) {
        if (remembered.size <= maxRemembered) break
        remembered.delete(oldest)
      }
      settling ??= settleAll()
    },
    async stop() {
      stopping.abort()
      await settling
    },
  }
}
