import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { listRevocations } from './revocations.queries.ts'

const db = await createTestDatabase()

/** Pages of PostgreSQL that the list reads. */
async function buffersOf(sites: number[] | 'all', id: string): Promise<number> {
  let buffers = 0
  const explained: Queryable = {
    query: async (text, values) => {
      const { rows } = await db.query<any>(`explain (analyze, buffers, format json) ${text}`, values)
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      return { rows: [] } as any
    },
  }
  await listRevocations(explained, { id, sites }, { after: undefined, limit: 51 })
  return buffers
}

test('a page of 30,000 revocations reads only a part of them, however few of them the key may see', async () => {
  const { id } = await seedKey(db, { scope: 'write' })
  const busy = [await seedSite(db), await seedSite(db)]
  const [rare, quiet] = [await seedSite(db), await seedSite(db)]
  await db.query(
    `insert into revocations (id, actor, api_key_id, request_hash, created_at, site_ids)
     select gen_random_uuid(), 'key:' || $1, $1::uuid, '', now() - n * interval '1 minute',
            case when n % 10000 = 0 then array[$3::integer] else $2::integer[] end
       from generate_series(1, 30000) n`,
    [id, busy, rare],
  )
  await db.query('vacuum analyze revocations')
  const reads = {
    all: await buffersOf('all', id),
    busy: await buffersOf(busy, id),
    rare: await buffersOf([rare], id),
    none: await buffersOf([quiet], id),
  }
  report('buffers of a page of revocations', Object.values(reads))

  for (const buffers of Object.values(reads)) expect(buffers).toBeLessThan(400)
})
