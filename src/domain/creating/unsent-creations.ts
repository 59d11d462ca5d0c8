import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '#db/database.ts'
import type { Observer } from '#lib/observer.ts'
import type { NewCreation } from '../record/creation.ts'
import { updateCreationsFailed } from '../record/creations.queries.ts'

/** Creations that made no voucher and that could not be marked as rejected yet. */
export type UnsentCreations = {
  /** Settles the creation as rejected as soon as the database answers. */
  add(creation: UnsentCreation): void
  stop(): Promise<void>
}

type UnsentCreation = Pick<NewCreation, 'siteId' | 'id' | 'issuingCounters'>

const everyMs = 1_000
/** If there are more, the oldest are forgotten. The lookup settles them after the settle window. */
const maxRemembered = 10_000
/**
 * A commit that this process gave up may become visible later, e.g. when a standby is back. A creation that is still missing
 * after this many attempts is left to the lookup. By then, the default settle window of 120 s has passed.
 */
const attemptsUntilForgotten = 180

type UnsentContext = { db: Queryable; observer?: Pick<Observer, 'creationsEnded'> | undefined }

/**
 * Remembers creations that may be committed although this process gave up before it called the controller. Otherwise
 * their Idempotency-Keys would stay locked for the settle window.
 */
export function createUnsentCreations({ db, observer }: UnsentContext): UnsentCreations {
  const stopping = new AbortController()
  const remembered = new Map<string, { group: string; siteId: number; attempts: number }>()
  let settling: Promise<void> | undefined

  async function settleAll(): Promise<void> {
    while (remembered.size > 0 && !stopping.signal.aborted) {
      await settleOnce()
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    settling = undefined
  }

  async function settleOnce(): Promise<void> {
    const groups = Map.groupBy(remembered, ([, { group }]) => group)
    for (const group of groups.values()) {
      const [[, { siteId }]] = group as [(typeof group)[0]]
      const ids = group.map(([id]) => id)
      if (!(await settleGroup(siteId, ids))) return
    }
  }

  /** False when the database does not accept writes yet. */
  async function settleGroup(siteId: number, ids: string[]): Promise<boolean> {
    try {
      const settled = await updateCreationsFailed(db, siteId, ids, 'rejected')
      observer?.creationsEnded('rejected', settled.length)
      for (const id of settled) remembered.delete(id)
      for (const id of ids) countAttempt(id)
      return true
    } catch {
      return false
    }
  }

  function countAttempt(id: string): void {
    const creation = remembered.get(id)
    if (!creation) return
    creation.attempts += 1
    if (creation.attempts >= attemptsUntilForgotten) remembered.delete(id)
  }

  return {
    add({ siteId, id, issuingCounters }) {
      // The creations of one statement must have the same counters: the statement locks them in the order of the creations.
      const scopes = issuingCounters?.map(({ scope, day }) => `${scope} ${day}`) ?? []
      remembered.set(id, { group: [siteId, ...scopes].join(), siteId, attempts: 0 })
      for (const oldest of remembered.keys()) {
        if (remembered.size <= maxRemembered) break
        remembered.delete(oldest)
      }
      settling ??= settleAll()
    },
    async stop() {
      stopping.abort()
      await settling
      await settleOnce() // the last chance of this process
    },
  }
}
