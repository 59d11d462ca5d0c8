import { type Database, Unavailable } from '#db/database.ts'
import { createSlots } from '#lib/concurrency.ts'
import { actorReference, type Maker } from '../actor.ts'
import { DomainError } from '../errors.ts'
import type { VoucherFilter } from './voucher-filter.ts'

/** Searches have a few connections of their own, so that many searches do not slow down creations. */
export type Searches = {
  /** Each actor runs one search at a time. Searches of different actors get a connection in turn. */
  run<T>(actor: Pick<Maker, 'kind' | 'id'>, work: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createSearches(db: Database): Searches {
  const slots = createSlots({
    atOnce: 1,
    maxWaiting: 10,
    maxWaitMs: 2_000,
    rejection: () => new DomainError('searches_too_many'),
  })
  return {
    run: (actor, work) => slots.run(actorReference(actor), () => work(db).catch(explain)),
    close: db.close,
  }
}

/** Gives a search that took too long, or got no connection in time, its own error. Other failures stay as they are. */
function explain(error: unknown): never {
  const cause = error instanceof Unavailable ? (error.cause as { code?: unknown; message?: string }) : undefined
  if (cause?.code === '57014') throw new DomainError('search_too_slow', { cause: error }) // PostgreSQL cancelled it
  if (cause?.message?.includes('timeout exceeded when trying to connect'))
    throw new DomainError('searches_too_many', { cause: error })
  throw error
}

/**
 * True when no index leads directly to the matching vouchers. `status`, `createdBy` and `source` have indexes, but an index
 * serves only one site and only one of these three filters.
 */
export function isSearch(sites: number[] | 'all', filter: Omit<VoucherFilter, 'now'>): boolean {
  const isOneSite = sites !== 'all' && sites.length === 1
  const { nameContains, createdBy, source, unused = false, codePrefix, status } = filter
  const ofOneSite = [status, createdBy, source].filter((value) => value !== undefined).length
  return (
    nameContains !== undefined || unused || codePrefix !== undefined || ofOneSite > 1 || (ofOneSite === 1 && !isOneSite)
  )
}
