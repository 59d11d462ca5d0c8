import { expect, test, vi } from 'vitest'
import { connectDatabase, Unavailable } from '#db/database.ts'
import { createQueue } from '#queue/queue.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedController, seedSite } from '#test/data/seed.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { enqueueDueSyncs, startSchedules } from './schedules.ts'

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
  await db.query(`update sites set next_sync_at = now() - interval '1 second' where id = $1`, [other])

  const enqueued = [await enqueueDueSyncs({ db, queue }), await enqueueDueSyncs({ db, queue })]

  const { rows } = await db.query(`select data from pgboss.job where name = 'sync' and group_id <> $1`, [controllerId])
  expect(enqueued).toEqual([500, 1])
  expect(rows).toEqual([{ data: { siteId: other } }])
})

test('a sweep enqueues 500 syncs that can start, and the next ones only replace those that have started', async () => {
  await db.query('delete from pgboss.job')
  await db.query('update sites set next_sync_at = null')
  await db.query(
    `with added as (
       insert into controllers (id, name, driver, address)
       select gen_random_uuid(), 'Console ' || n, 'unifi-integration', 'https://console-' || n from generate_series(1, 1200) n
       returning id)
     insert into sites (name, controller_id, controller_site, next_sync_at)
     select 'Haus', id, 'default', now() - interval '1 minute' from added`,
  )

  const enqueued = [await enqueueDueSyncs({ db, queue }), await enqueueDueSyncs({ db, queue })]
  await db.query(`delete from pgboss.job where id in (select id from pgboss.job where name = 'sync' limit 300)`)
  enqueued.push(await enqueueDueSyncs({ db, queue }))

  expect(enqueued).toEqual([500, 0, 300])
})

test('while PostgreSQL does not answer, all sweeps together write one line a minute; other failures are all written', async () => {
  const away = connectDatabase({ url: 'postgres://postgres@127.0.0.1:1/none', poolSize: 2, onError: () => {} })
  onFileEnd(away.close)
  const lines: { fields: object; message: string }[] = []
  const write = (fields: object, message: string) => void lines.push({ fields, message })
  const log = { error: write, warn: write, info: write, debug: write } as never
  const read = vi.fn(() => away.query('select 1').then(() => 0))
  const fail = vi.fn(() => Promise.reject(new Error('a fault')))

  const schedules = startSchedules({ db: away, queue, log, config: {} as never }, [
    { name: 'reads', everyMs: 1, run: read },
    { name: 'fails', everyMs: 1, run: fail },
  ])
  await vi.waitUntil(() => read.mock.calls.length > 5 && fail.mock.calls.length > 5)
  await schedules.stop()

  const isAway = ({ fields }: { fields: object }) => 'err' in fields && fields.err instanceof Unavailable
  expect(lines.filter(isAway)).toMatchObject([{ message: expect.stringContaining('check that PostgreSQL is running') }])
  expect(lines.filter(({ fields }) => 'sweep' in fields && fields.sweep === 'fails')).toHaveLength(
    fail.mock.calls.length,
  )
})
