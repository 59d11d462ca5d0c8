import { beforeEach, expect, test } from 'vitest'
import { startOutage } from '#domain/controllers/controller-outages.queries.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'

// In this time zone, the day of the service often differs from that of PostgreSQL.
const app = await startApp({ TZ: 'Pacific/Kiritimati' })
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
    unreachable_reason: null,
    controller_id: expect.any(String),
    controller_name: expect.any(String),
    synced_at: null,
    sync_failure: null,
    sync_failing_since: null,
    recent_vouchers: 0,
    unrecorded_vouchers: 0,
    time_zone: app.context.today.timeZone,
  }

  expect((await app.call('/api/v2/sites', { key })).json()).toEqual({
    sites: [
      { id: open, name: 'Hauptgebäude', active: true, state: 'unknown', ...fresh },
      { id: closed, name: 'Geschlossen', active: false, state: 'inactive', ...fresh },
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

test('a site has the name of its controller, the reason of an outage and its vouchers of the last 30 days', async () => {
  const id = await seedSite(app.db)
  const { rows } = await app.db.query<any>(
    `update controllers set name = 'unifi-07' where id = (select controller_id from sites where id = $1) returning id`,
    [id],
  )
  await startOutage(app.db, rows[0].id, 'connection_refused')
  await app.db.query(
    `insert into site_days (site_id, day, created)
     values ($1, $2::date, 3), ($1, $2::date - 29, 4), ($1, $2::date - 30, 100)`,
    [id, app.context.today(new Date())],
  )

  expect((await app.call(`/api/v2/sites/${id}`, { key })).json()).toMatchObject({
    controller_id: rows[0].id,
    controller_name: 'unifi-07',
    unreachable_reason: 'connection_refused',
    recent_vouchers: 7,
  })
})

test.each([
  ['reachable', 'synced_at = now()', undefined],
  ['unknown', 'synced_at = null', undefined],
  ['unreachable', 'synced_at = now()', 'no_answer'],
  ['certificate', 'synced_at = now()', 'certificate_changed'],
  ['certificate', 'synced_at = null', 'certificate_untrusted'],
  ['sign_in_refused', `sync_failure = 'sign_in', sync_failing_since = now()`, undefined],
  ['failing', `sync_failure = 'missing', sync_failing_since = now()`, undefined],
  ['reachable', `synced_at = now(), sync_failure = 'timeout', sync_failing_since = now()`, undefined],
  ['failing', `sync_failure = 'timeout', sync_failing_since = now() - interval '11 minutes'`, undefined],
  ['inactive', 'active = false', 'no_answer'],
] as const)('the state is %s: %s, outage %s', async (state, change, reason) => {
  const id = await seedSite(app.db)
  const { rows } = await app.db.query<any>(`update sites set ${change} where id = $1 returning controller_id`, [id])
  if (reason) await startOutage(app.db, rows[0].controller_id, reason)

  expect((await app.call(`/api/v2/sites/${id}`, { key })).json().state).toBe(state)
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
