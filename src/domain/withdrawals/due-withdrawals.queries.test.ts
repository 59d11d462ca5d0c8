import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase, watchStatements } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { listSitesWithDueWithdrawals, postponeDueWithdrawals } from './due-withdrawals.queries.ts'

const db = await createTestDatabase()
const [one, two, three] = [await seedSite(db), await seedSite(db), await seedSite(db)]

beforeEach(() => db.query('delete from withdrawals'))

/**
 * Inserts due withdrawals. With `apart`, each has its own time; otherwise all have the same, like those of a
 * revocation.
 */
const insertDue = (siteId: number, count: number, { secondsAgo, apart }: { secondsAgo: number; apart: boolean }) =>
  db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'request', at, at
       from generate_series(1, $2) n,
            lateral (select now() - make_interval(secs => $3 + case when $4 then n * 0.001 else 0 end) as at) as due`,
    [siteId, count, secondsAgo, apart],
  )

async function listInParts(limit: number): Promise<number[][]> {
  const parts: number[][] = []
  let part = await listSitesWithDueWithdrawals(db, undefined, limit)
  for (;;) {
    parts.push(part.siteIds)
    if (!part.next) return parts
    part = await listSitesWithDueWithdrawals(db, part.next, limit)
  }
}

test('each statement reads a limited number of withdrawals, and together they list every site with due ones', async () => {
  await insertDue(one, 25, { secondsAgo: 60, apart: true })
  await insertDue(two, 1, { secondsAgo: 1, apart: true })
  await insertDue(three, 1, { secondsAgo: -60, apart: true })

  expect(await listInParts(10)).toEqual([[one], [one], [one, two]])
})

test('the withdrawals of a revocation fill at most one part for each site', async () => {
  await insertDue(one, 100, { secondsAgo: 60, apart: false })
  await insertDue(two, 100, { secondsAgo: 60, apart: false })
  await insertDue(three, 1, { secondsAgo: 1, apart: false })

  expect(await listInParts(10)).toEqual([[one], [two], [three]])
})

test('a failure of the controller postpones all due withdrawals of its site, a limited number per statement', async () => {
  await insertDue(one, 25, { secondsAgo: 60, apart: true })
  await insertDue(two, 1, { secondsAgo: 60, apart: true })
  const statements = watchStatements()
  await postponeDueWithdrawals(db, one, 'busy', 10)

  expect(statements).toHaveLength(3)
  const { rows } = await db.query(
    `select site_id, attempts, failure, next_attempt_at > now() as postponed, count(*)::integer
       from withdrawals group by 1, 2, 3, 4 order by 1`,
  )
  expect(rows).toEqual([
    { site_id: one, attempts: 1, failure: 'busy', postponed: true, count: 25 },
    { site_id: two, attempts: 0, failure: null, postponed: false, count: 1 },
  ])
})
