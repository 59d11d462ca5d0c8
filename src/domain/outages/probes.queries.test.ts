import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { nodesOf } from '#test/data/plans.ts'
import { listControllersToProbe } from './probes.queries.ts'

const db = await createTestDatabase()
const controllers = 3_000

await db.query(
  `with added as (
     insert into controllers (id, name, driver, address, secret)
     select gen_random_uuid(), 'Console ' || n, 'unifi-integration', 'https://console-' || n,
            case when n > 10 then 'v1.test.' || repeat('x', 40) end
       from generate_series(1, $1::integer) n
     returning id, name)
   insert into sites (name, controller_id, controller_site, synced_at)
   select name, id, 'default', now() - interval '2 minutes' from added where name <> 'Console 11'`,
  [controllers],
)
await db.query('vacuum (analyze) controllers, sites')

/** How many sites each statement read. */
const sitesRead: number[] = []
const explained: Queryable = {
  async query(text, values) {
    const { rows } = await db.query<any>(`explain (analyze, format json) ${text}`, values)
    const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'sites')
    sitesRead.push(
      scans.reduce(
        (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        0,
      ),
    )
    return db.query(text as string, values)
  },
}

test('controllers are listed in pages, and each page reads only the sites of its controllers', async () => {
  const listed = await listControllersToProbe(explained, 500)

  expect(new Set(listed.map(({ id }) => id)).size).toBe(controllers - 11) // ten without credentials, one without a site
  expect(listed).toHaveLength(controllers - 11)
  expect(Math.max(...sitesRead)).toBeLessThanOrEqual(511)
  expect(sitesRead).toHaveLength(6)
})
