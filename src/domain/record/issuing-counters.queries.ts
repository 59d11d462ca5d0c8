import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { type FullCounter, type IssuingCounter, limitReached } from './issuing-counters.ts'

/**
 * SQL that counts a creation that was just inserted in its counters. It comes after the insert, so that a request whose
 * Idempotency-Key is known counts nothing, and it fails if a counter is full, so that the insert is rolled back.
 */
export const countInsertedSql = 'count_issuing(issuing_counters, 1, 1)'

/**
 * SQL for the number of `wanted` vouchers that the counters accept. They are counted. Without counters, all are accepted.
 */
export function countAsManyAsFitSql(counters: string, wanted: string): string {
  return `coalesce(count_issuing(${counters}::jsonb, ${wanted}, 0), ${wanted})`
}

/** The value for a parameter with counters. `isMade`: the voucher exists already, so no limit counts. */
export function countersValue(counters: IssuingCounter[] | null, { isMade = false } = {}): string | null {
  return counters && JSON.stringify(isMade ? counters.map(({ limit: _, ...counter }) => counter) : counters)
}

const limitReachedState = 'VS001'

/** For `catch`: turns the error of a full counter into ours. */
export function throwLimitReached(error: unknown): never {
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  if (code !== limitReachedState) throw error
  throw limitReached(JSON.parse(String(detail)) as FullCounter[])
}

/** How many vouchers these counters have, in the same order. */
export async function listIssued(db: Queryable, counters: IssuingCounter[]): Promise<number[]> {
  const { rows } = await db.query<{ vouchers: number }>(
    `select coalesce(vouchers, 0) as vouchers
       from unnest($1::text[], $2::date[]) with ordinality as asked (scope, day, place)
            left join issuing_counters using (scope, day)
      order by place`,
    [counters.map(({ scope }) => scope), counters.map(({ day }) => day)],
  )
  return rows.map(({ vouchers }) => vouchers)
}

/** Kept longer than a day, because a creation whose outcome is unknown for days is taken out of its counters then. */
export const daysOfIssuing: Retention = {
  table: 'issuing_counters',
  key: 'scope, day',
  since: 'day',
  keptFor: `interval '7 days'`,
}
