import type { Database } from '#db/database.ts'
import { createSlots } from '#lib/slots.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError } from '../errors.ts'
import type { VoucherFilter } from './voucher-filter.ts'

/** Searches have few connections of their own: whoever searches much takes nothing from those who create. */
export type Searches = {
  /** Each key searches once at a time, and those who wait for a connection get it in turn: no key keeps others from it. */
  run<T>(keyId: string, work: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createSearches(db: Database): Searches {
  const slots = createSlots({
    atOnce: 1,
    maxWaiting: 10,
    maxWaitMs: 2_000,
    refusal: () => new DomainError('searches_too_many'),
  })
  return {
    run: (keyId, work) => slots.run(keyId, () => work(db).catch(explain)),
    close: db.close,
  }
}

/** A statement that was cancelled because its time was over is the search itself; anything else is the database. */
function explain(error: unknown): never {
  const wasCancelled = error instanceof Unavailable && (error.cause as { code?: unknown } | undefined)?.code === '57014'
  throw wasCancelled ? new DomainError('search_too_slow', { cause: error }) : error
}

/** Whether no index leads straight to the vouchers that fit. */
export function isSearch(sites: number[] | 'all', filter: Omit<VoucherFilter, 'now'>): boolean {
  const isOneSite = sites !== 'all' && sites.length === 1
  const { nameContains, source, codePrefix, status } = filter
  return (
    nameContains !== undefined ||
    source !== undefined ||
    codePrefix !== undefined ||
    (status !== undefined && !isOneSite)
  )
}
