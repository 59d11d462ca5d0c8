import type pg from 'pg'
import type { NamedStatement, Queryable } from './database.ts'

/**
 * For statements of a transaction that join lists of up to 1,000 rows. Without recent statistics, PostgreSQL expects one row and
 * compares every row with every other: for a batch of 1,000 vouchers, such statements took 1.3 to 3.6 s, and longer than their
 * timeout on a busy server. A lookup in a large table then needs a condition such as `id = any ($1)`, because a join reads it whole.
 */
export function withoutNestedLoops(tx: Queryable): Queryable {
  return {
    async query<Row extends pg.QueryResultRow>(statement: string | NamedStatement, values?: unknown[]) {
      await tx.query('set local enable_nestloop = off')
      const result = await tx.query<Row>(statement, values)
      await tx.query('set local enable_nestloop = default') // after a failure, the transaction is rolled back
      return result
    },
  }
}
