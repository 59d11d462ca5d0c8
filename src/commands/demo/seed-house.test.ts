import { expect, test } from 'vitest'
import { recordEndedVouchers } from '#domain/syncing/record-ended-vouchers.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startSimulator } from '../../../simulator/start-simulator.ts'
import { checkInGuest, leftUnused, signInGuest } from './run-house.ts'
import { seedHouse } from './seed-house.ts'
import { describeControllers, siteReferences } from './start-controllers.ts'

const { context: ctx, db } = await startApp({ TZ: 'Europe/Berlin', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' })
const sites = siteReferences.map((internalReference) => ({ internalReference, name: internalReference }))
const start = async (flavour: 'console' | 'self-hosted') => {
  const { username, password, fingerprint256, close, ...simulator } = await startSimulator({
    flavour,
    https: true,
    sites,
  })
  onFileEnd(close)
  return { ...simulator, login: { username, password }, fingerprint: fingerprint256 as string, stop: close }
}
const controllers = describeControllers(await start('console'), await start('self-hosted'))
const receiver = { workingUrl: 'http://127.0.0.1:9/a', failingUrl: 'http://127.0.0.1:9/b' }
const token = 'a-setup-token-for-the-test-of-the-demo'
const administrator = { token, email: 'demo@example.com', password: 'four random words' }
const begin = new Date()
const house = await seedHouse(ctx, { controllers, receiver, administrator })

const read = async (sql: string) => (await db.query<any>(sql)).rows

/** The record without the vouchers whose minutes run out while this test runs. */
const readRecord = async () => ({
  vouchers: await read(
    `select * from vouchers where (expires_at between '${begin.toISOString()}' and now()) is not true order by site_id, id`,
  ),
  days: await read('select * from site_days order by site_id, day'),
  withdrawals: await read('select * from withdrawals order by id'),
  deliveries: await read('select id, state from deliveries order by id'),
  audit: await read('select id from audit order by id'),
})

const syncAll = async () => {
  await db.query('update sites set compared_list = null')
  for (const { site } of house.sites) await syncSite(ctx, site)
}

test('a sync of every site changes nothing in the history and finds nothing unrecorded', async () => {
  const before = await readRecord()
  await syncAll()
  await recordEndedVouchers(ctx)

  expect(before.vouchers.length).toBeGreaterThan(1_500)
  expect(await readRecord()).toEqual(before)
  expect(await read('select id, unrecorded, sync_failure from sites where active order by id')).toEqual(
    house.sites.map(({ site }) => ({ id: site, unrecorded: 0, sync_failure: null })),
  )
})

test('the counts of the days are those of the vouchers', async () => {
  const berlin = (column: string) => `(${column} at time zone 'Europe/Berlin')::date::text`
  const vouchers = await read(
    `select site_id, issued_on::text as issued, ${berlin('created_at')} as created, used_count, ${berlin('first_used_at')} as used,
            ${berlin('revoked_at')} as revoked, coalesce('key:' || api_key_id, 'staff:' || staff_id) as maker from vouchers`,
  )
  const recounted: Record<string, any> = {}
  const dayOf = (site: number, day: string) => {
    recounted[`${site} ${day}`] ??= { created: 0, created_redeemed: 0, redeemed: 0, revoked: 0, created_by: {} }
    return recounted[`${site} ${day}`]
  }
  for (const { site_id: site, issued, created, used_count: uses, used, revoked, maker } of vouchers) {
    expect(issued).toBe(created)
    const day = dayOf(site, issued)
    day.created += 1
    day.created_by[maker] = (day.created_by[maker] ?? 0) + 1
    if (uses > 0) day.created_redeemed += 1
    if (used) dayOf(site, used).redeemed += 1
    if (revoked) dayOf(site, revoked).revoked += 1
  }
  const days = await read('select *, day::text from site_days')

  expect(Object.fromEntries(days.map(({ site_id, day, ...counts }) => [`${site_id} ${day}`, counts]))).toEqual(
    recounted,
  )
})

test('the history is that of a hotel: three quarters are redeemed, some expired or revoked, and weekends differ', async () => {
  const [all] = await read(
    `select count(*)::integer as total, avg((used_count > 0)::integer)::float8 as redeemed,
            avg((status = 'expired')::integer)::float8 as expired, avg((status = 'revoked')::integer)::float8 as revoked,
            count(distinct coalesce(api_key_id, staff_id))::integer as makers,
            count(*) filter (where status = 'valid' and used_count = 0)::integer as unused,
            count(*) filter (where batch_id is not null)::integer as slips from vouchers`,
  )
  const perDay = async (site: number, weekdays: string) =>
    (
      await read(`select sum(created)::float8 / count(*) as mean from site_days
                  where site_id = ${site} and extract(isodow from day) in (${weekdays}) and day < current_date`)
    )[0].mean
  const [main, annex, seminar] = house.sites.map(({ site }) => site) as [number, number, number]

  expect(all.redeemed).toBeCloseTo(0.76, 1)
  expect(all.expired).toBeGreaterThan(0.2)
  expect(all.revoked).toBeGreaterThan(0.05)
  expect(all).toMatchObject({ makers: 8, slips: 40 })
  expect(all.unused).toBeGreaterThan(60)
  expect(await perDay(main, '5, 6')).toBeGreaterThan(1.5 * (await perDay(main, '1, 2, 3')))
  expect(await perDay(seminar, '1, 2, 3, 4')).toBeGreaterThan(3 * (await perDay(seminar, '6, 7')))
  expect(await perDay(main, '1, 2, 3, 4, 5, 6, 7')).toBeGreaterThan(2 * (await perDay(annex, '1, 2, 3, 4, 5, 6, 7')))
})

test('one webhook fails and has waiting and failed deliveries, and one controller had an outage of 40 minutes', async () => {
  const deliveries = await read(
    `select w.name, w.failing_since is not null as failing, d.state, count(*)::integer > 0 as some
       from webhooks w join deliveries d on d.webhook_id = w.id where d.created_at >= coalesce(w.failing_since, '-infinity')
      group by 1, 2, 3 order by 1, 3`,
  )

  expect(deliveries).toEqual([
    { name: 'Door signs', failing: true, state: 'failed', some: true },
    { name: 'Door signs', failing: true, state: 'pending', some: true },
    { name: 'Hotel system', failing: false, state: 'delivered', some: true },
  ])
  expect(await read('select (until - since)::text as lasted from controller_outages')).toEqual([{ lasted: '00:40:00' }])
})

test('guests sign in while enough vouchers are unused, and the hotel system brings new ones', async () => {
  const used = async () => (await read('select count(*)::integer from vouchers where used_count > 0'))[0].count
  const guests = async () => {
    const lists = controllers.map(({ simulator }) => call(`${simulator.url}/control/guests`, { trustAnyone: true }))
    return (await Promise.all(lists)).map((list) => list.json().length)
  }
  const before = await used()
  await signInGuest(ctx, house.sites)
  await syncAll()
  const after = await used()
  await db.query(
    `update vouchers set used_count = 1 where used_count = 0 and id not in (
       select id from vouchers where status = 'valid' and used_count = 0 order by created_at desc limit $1)`,
    [leftUnused],
  )
  const present = await guests()
  await signInGuest(ctx, house.sites)
  const withFew = await guests()
  await checkInGuest(ctx, house)
  await signInGuest(ctx, house.sites)
  const [newest] = await read('select site_id, api_key_id, max_uses from vouchers order by created_at desc limit 1')

  expect(after).toBe(before + 1)
  expect(withFew).toEqual(present)
  expect(await guests()).not.toEqual(present)
  expect(newest).toEqual({ site_id: expect.toBeOneOf([1, 2]), api_key_id: house.hotelSystem.id, max_uses: 4 })
})
