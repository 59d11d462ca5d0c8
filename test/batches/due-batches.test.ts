import { expect, test } from 'vitest'
import { listDueBatches } from '#domain/batches/batches.queries.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'

const db = await createTestDatabase()

const insertDue = (siteId: number, count: number, secondsAgo: number) =>
  db.query(
    `insert into batches (site_id, id, actor, api_key_id, request_hash, max_uses, expire_minutes, next_run_at)
     select $1, gen_random_uuid(), 'test', gen_random_uuid(), '', 1, 60, now() - make_interval(secs => $3)
       from generate_series(1, $2)`,
    [siteId, count, secondsAgo],
  )

test('the batch that is due longest is listed for each controller, even if one controller has many due batches', async () => {
  const [one, two] = [await seedSite(db), await seedSite(db)]
  await insertDue(one, 250, 60)
  await insertDue(one, 1, 90)
  await insertDue(two, 2, 1)
  const due = await listDueBatches(db, 200)
  const { rows: oldest } = await db.query<{ id: string }>(
    'select id from batches where site_id = $1 order by next_run_at limit 1',
    [one],
  )

  expect(due.map(({ siteId }) => siteId)).toEqual([one, two])
  expect(due[0]).toMatchObject({ id: oldest[0]?.id })
})
