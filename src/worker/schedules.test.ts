import { expect, test } from 'vitest'
import { createQueue } from '#queue/queue.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedController, seedSite } from '#test/data/seed.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { enqueueDueSyncs } from './schedules.ts'

const db = await createTestDatabase()
const queue = createQueue({ url: db.url, supervise: false, onError: () => {} })
await queue.start()
onFileEnd(queue.stop)

test('the sites of a controller with many waiting syncs stay due, and other sites are not delayed', async () => {
  const controllerId = await seedController(db)
  await db.query(
    `insert into sites (name, controller_id, controller_site, next_sync_at)
     select 'Haus ' || n, $1, 'site-' || n, now() - interval '1 day' from generate_series(1, 2000) n`,
    [controllerId],
  )
  const other = await seedSite(db)
  await db.query('update sites set next_sync_at = now() where id = $1', [other])

  const enqueued = [await enqueueDueSyncs({ db, queue }), await enqueueDueSyncs({ db, queue })]

  const { rows } = await db.query(`select data from pgboss.job where name = 'sync' and group_id <> $1`, [controllerId])
  expect(enqueued).toEqual([200, 1])
  expect(rows).toEqual([{ data: { siteId: other } }])
  expect(await queue.listBusyGroups('sync', 100)).toEqual([controllerId])
})
