import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase, watchStatements } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { size } from '#test/measuring.ts'
import { listSitesWithDueWithdrawals, postponeDueWithdrawals, takeDueWithdrawals } from './due-withdrawals.queries.ts'
import { insertRevokedWithdrawals, insertScheduledWithdrawals, withdrawalKinds } from './withdrawals.queries.ts'

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
  let part = await listSitesWithDueWithdrawals(db, 'small', undefined, limit)
  for (;;) {
    parts.push(part.siteIds)
    if (!part.next) return parts
    part = await listSitesWithDueWithdrawals(db, 'small', part.next, limit)
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
  await postponeDueWithdrawals(db, one, { kind: 'small', failure: 'busy' }, 10)

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

test('each withdrawal has one kind: a large revocation or a repair is bulk, even if it is conditional', async () => {
  const [request, ended, unused, repair, ...others] = range(7).map(() => randomUUID()) as [
    string,
    string,
    string,
    string,
  ]
  const [large, largeConditional, conditional] = others as unknown as [string, string, string]
  const revoke = (id: string, onlyUnused: boolean, isBulk: boolean) =>
    insertRevokedWithdrawals(db, { id: randomUUID(), onlyUnused, isBulk }, [{ siteId: one, id }])
  await revoke(request, false, false)
  await revoke(conditional, true, false)
  await revoke(large, false, true)
  await revoke(largeConditional, true, true)
  await insertScheduledWithdrawals(db, one, [
    { voucherId: ended, reason: 'valid_until' },
    { voucherId: unused, reason: 'unused', onlyUnused: true },
    { voucherId: repair, reason: 'repair', onlyUnused: true },
  ])

  const taken: Record<string, string[]> = {}
  for (const kind of withdrawalKinds) {
    expect((await listSitesWithDueWithdrawals(db, kind)).siteIds).toEqual([one])
    taken[kind] = (await takeDueWithdrawals(db, one, kind, 50)).map(({ voucherId }) => voucherId).toSorted()
  }
  expect(taken).toEqual({
    end: [ended],
    small: [request],
    conditional: [conditional, unused].toSorted(),
    bulk: [large, largeConditional, repair].toSorted(),
  })
})

test('taking and listing one kind reads few rows, however many of another kind are due', {
  timeout: 600_000,
}, async () => {
  const revocation = randomUUID()
  for (const n of range(size(1, 50)))
    await db.query(
      `insert into withdrawals (site_id, id, voucher_id, revocation_id, reason, is_bulk, due_at, next_attempt_at)
       select $1, gen_random_uuid(), gen_random_uuid(), $2, 'request', true, now(), now() - make_interval(secs => $3 + n * 0.001)
         from generate_series(1, 20000) n`,
      [one, revocation, n],
    )
  await insertScheduledWithdrawals(db, one, [{ voucherId: randomUUID(), reason: 'valid_until' }])
  await db.query('analyze withdrawals')
  const plans: object[] = []
  const explained: Queryable = {
    async query(statement, values) {
      const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: object }] }>(
        `explain (analyze, format json) ${statement}`,
        values,
      )
      plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan))
      return db.query(statement, values)
    },
  }
  for (const kind of ['end', 'bulk'] as const) {
    await listSitesWithDueWithdrawals(explained, kind, undefined, 50)
    await takeDueWithdrawals(explained, one, kind, 50)
  }

  expect(plans).toHaveLength(4)
  for (const plan of plans) expect(mostRowsRead(plan), JSON.stringify(plan)).toBeLessThan(200)
})

/** The largest number of rows that a node of the plan returned or removed. */
function mostRowsRead(plan: any): number {
  const loops = plan['Actual Loops'] ?? 0
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const own = loops * ((plan['Actual Rows'] ?? 0) + removed)
  return Math.max(own, ...(plan.Plans ?? []).map(mostRowsRead))
}
