import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { listIssuedDays } from './issued.queries.ts'

const db = await createTestDatabase()

// In the first zone, summer time begins at midnight, so 6 September 2026 begins at 1:00. In the second one it ends at midnight.
test.each([
  ['America/Santiago', '2026-09-08', ['2026-09-05', '2026-09-06', '2026-09-07', '2026-09-08']],
  ['America/Santiago', '2026-04-06', ['2026-04-03', '2026-04-04', '2026-04-05', '2026-04-06']],
  ['Europe/Berlin', '2026-03-30', ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30']],
])('each day is there once around a change of the clocks in %s, up to %s', async (zone, today, days) => {
  const issued = await db.snapshot(async (tx) => {
    await tx.query(`select set_config('TimeZone', $1, true)`, [zone])
    return listIssuedDays(tx, { onlySitesOf: null, siteId: null }, { today, days: days.length })
  })

  expect(issued).toEqual(days.map((day) => ({ day, issued: 0, redeemed: 0 })))
})
