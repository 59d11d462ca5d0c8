import { codeOf, type Database, Unavailable } from '#db/database.ts'
import { createSlots } from '#lib/concurrency.ts'
import { actorReference, type Maker } from './actor.ts'
import { DomainError, type ErrorCode } from './errors.ts'

/**
 * Reads that cost much more than a page of a list. They have places and connections of their own, so that many of them do
 * not slow down creations. Each actor has one place at a time, and actors that wait take turns.
 */
export type CostlyReads = {
  run<T>(actor: ReadingActor, work: (db: Database) => Promise<T>): Promise<T>
  /** Takes a place for work that continues after the request was answered. If `signal` aborts, it stops waiting for one. */
  take(actor: ReadingActor, signal: AbortSignal): Promise<ReadingPlace>
}

type ReadingActor = Pick<Maker, 'kind' | 'id'>

type ReadingPlace = { db: Database; release(): void }

/** Places per process. Each pool has a connection for each of its places, so work that has a place never waits for one. */
const placesAtOnce = 2
export const searchConnections = placesAtOnce
export const reportConnections = 2 * placesAtOnce

/** Searches have a shorter time limit than exports and overviews. So they have a pool of their own. */
export function createCostlyReads({ searchDb, reportDb }: { searchDb: Database; reportDb: Database }) {
  return {
    searches: createReads(searchDb, { maxWaitMs: 2_000, tooMany: 'searches_too_many', tooSlow: 'search_too_slow' }),
    exports: createReads(reportDb, { maxWaitMs: 10_000, tooMany: 'exports_too_many' }),
    overviews: createReads(reportDb, { maxWaitMs: 10_000, tooMany: 'overviews_too_many' }),
  }
}

type ReadLimits = {
  maxWaitMs: number
  tooMany: ErrorCode
  /** The error of a statement that took too long. Without it: the database is unavailable. */
  tooSlow?: ErrorCode
}

function createReads(db: Database, { maxWaitMs, tooMany, tooSlow }: ReadLimits): CostlyReads {
  const slots = createSlots({
    atOnce: 1,
    inAll: placesAtOnce,
    maxWaiting: 10,
    maxWaitMs,
    rejection: () => new DomainError(tooMany),
  })
  const explain = (error: unknown): never => {
    const wasCancelled = error instanceof Unavailable && codeOf(error.cause) === '57014'
    if (tooSlow && wasCancelled) throw new DomainError(tooSlow, { cause: error })
    throw error
  }
  return {
    run: (actor, work) => slots.run(actorReference(actor), () => work(db).catch(explain)),
    async take(actor, signal) {
      const { release } = await slots.take(actorReference(actor), { signal })
      return { db, release }
    },
  }
}
