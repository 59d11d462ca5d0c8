import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { findDueBatch, listDueBatches } from './batches.queries.ts'

const db = await createTestDatabase()

const insertDue = (siteId: number, count: number, secondsAgo: number) =>
  db.query(
    `insert into batches (site_id, id, actor, api_key_id, request_hash, max_uses, expire_minutes, next_run_at)
     select $1, gen_random_uuid(), 'test', gen_random_uuid(), '', 1, 60, now() - make_interval(secs => $3)
       from generate_series(1, $2)`,
    [siteId, count, secondsAgo],
  )

beforeEach(() => db.query('delete from batches'))

test('the batch that has been due longest is listed for each controller, even if one controller has many due batches', async () => {
  const [one, two] = [await seedSite(db), await seedSite(db)]
  await insertDue(one, 250, 60)
  await insertDue(one, 1, 90)
  await insertDue(two, 2, 1)
  const { batches, next } = await listDueBatches(db)
  const { rows: oldest } = await db.query<{ id: string; controllerId: string }>(
    `select batches.id, controller_id as "controllerId" from batches join sites on sites.id = site_id
      where site_id = $1 order by next_run_at limit 1`,
    [one],
  )

  expect(batches.map(({ siteId }) => siteId)).toEqual([one, two])
  expect(batches[0]).toMatchObject({ id: oldest[0]?.id })
  expect(next).toBeUndefined()
  expect(await findDueBatch(db, oldest[0]?.controllerId as string)).toEqual(batches[0])
})

test('each statement reads a limited number of batches, and together they list every controller', async () => {
  const [one, two] = [await seedSite(db), await seedSite(db)]
  await insertDue(one, 25, 60) // all at the same time
  await insertDue(two, 1, 1)
  const parts: number[][] = []
  for (let part = await listDueBatches(db, undefined, 10); ; part = await listDueBatches(db, part.next, 10)) {
    parts.push(part.batches.map(({ siteId }) => siteId))
    if (!part.next) break
  }

  expect(parts).toEqual([[one], [one], [one, two]])
})
