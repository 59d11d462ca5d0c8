import { beforeEach, expect, test } from 'vitest'
import { startOutage } from '#domain/outages/outages.queries.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)

beforeEach(async () => {
  await app.db.query('truncate sites, controllers cascade')
})

test('200: a site with its state, active or not', async () => {
  const open = await seedSite(app.db, { name: 'Hauptgebäude' })
  const closed = await seedSite(app.db, { name: 'Geschlossen', active: false })
  const fresh = {
    reachable: true,
    unreachable_since: null,
    synced_at: null,
    sync_failure: null,
    unrecorded_vouchers: 0,
  }

  expect((await app.call('/api/v2/sites', { key })).json()).toEqual({
    sites: [
      { id: open, name: 'Hauptgebäude', active: true, ...fresh },
      { id: closed, name: 'Geschlossen', active: false, ...fresh },
    ],
    next_cursor: null,
  })
})

test('a site is out of reach while its controller has an outage that did not end', async () => {
  const id = await seedSite(app.db)
  const { rows } = await app.db.query<any>(
    `update sites set synced_at = '2026-11-14T20:00:00Z', sync_failure = 'timeout' where id = $1 returning controller_id`,
    [id],
  )
  const outage = await startOutage(app.db, rows[0].controller_id)

  expect((await app.call(`/api/v2/sites/${id}`, { key })).json()).toMatchObject({
    reachable: false,
    unreachable_since: outage?.since.toISOString(),
    synced_at: '2026-11-14T20:00:00.000Z',
    sync_failure: 'timeout',
  })

  await app.db.query('update controller_outages set until = now()')
  const after = (await app.call(`/api/v2/sites/${id}`, { key })).json()
  expect([after.reachable, after.unreachable_since]).toEqual([true, null])
})

test('pages: each site once, including sites added meanwhile', async () => {
  const ids: number[] = []
  for (let i = 0; i < 5; i++) ids.push(await seedSite(app.db))
  const seen: number[] = []
  let path = '/api/v2/sites?limit=2'
  for (let page = 0; page < 9; page++) {
    const { sites, next_cursor } = (await app.call(path, { key })).json()
    seen.push(...sites.map(({ id }: any) => id))
    if (page === 0) ids.push(await seedSite(app.db))
    if (next_cursor === null) break
    path = `/api/v2/sites?limit=2&cursor=${next_cursor}`
  }

  expect(seen).toEqual(ids)
})

test('a key limited to some sites sees only those', async () => {
  const mine = await seedSite(app.db)
  await seedSite(app.db)
  const limited = await seedKey(app.db, { siteIds: [mine] })

  const { sites } = (await app.call('/api/v2/sites', { key: limited.key })).json()

  expect(sites.map(({ id }: any) => id)).toEqual([mine])
})
