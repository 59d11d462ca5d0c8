import { expect, test } from 'vitest'
import { setMailServer } from '#domain/mail-server/mail-server.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { seedFailingMessages, seedKey, seedPerson, seedSite, seedWebhook, testActor } from '#test/data/seed.ts'

const app = await startApp({ TZ: 'Europe/Berlin' })
const { db } = app
const today = app.context.today(new Date())
const admin = await seedPerson(db, { role: 'admin' })
const names = ['Adler', 'Bär', 'Dachs', 'Esel', 'Fuchs', 'Gans', 'Hase', 'Igel', 'Katze']
const sites: number[] = []
for (const name of names) sites.push(await seedSite(db, { name }))
const [adler = 0, baer = 0, dachs = 0, esel = 0] = sites
const manager = await seedPerson(db, { role: 'manager', siteIds: [adler, baer] })
const { id: key } = await seedKey(db, { name: 'Check-in' })

const daysAgo = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)
async function count(
  site: number,
  ago: number,
  created: number,
  redeemed: number,
  by: object = { controller: created },
) {
  await db.query(
    `insert into site_days (site_id, day, created, created_redeemed, created_by) values ($1, $2, $3, $4, $5)`,
    [site, daysAgo(ago), created, redeemed, by],
  )
}
for (const [i, site] of sites.entries()) await count(site, 0, 10 * (i + 1), i + 1)
await count(adler, 6, 5, 5, { [`key:${key}`]: 3, [`staff:${admin.id}`]: 1, controller: 1 })
await count(adler, 7, 100, 50, { [`key:${key}`]: 100 })

async function get(path: string, { session } = admin) {
  const answer = await app.call(`/api/v2/overview${path}`, { session })
  expect(answer.status).toBe(200)
  return answer.json()
}

test('every day is there, and days, sites and totals add up', async () => {
  const { days, totals, sites: bySite, ...week } = await get('?days=7')

  expect(days.map(({ day }: any) => day)).toEqual([6, 5, 4, 3, 2, 1, 0].map(daysAgo))
  expect(days[0]).toEqual({ day: daysAgo(6), issued: 5, redeemed: 5 })
  expect(days[1]).toEqual({ day: daysAgo(5), issued: 0, redeemed: 0 })
  expect(days[6]).toEqual({ day: today, issued: 450, redeemed: 45 })
  expect(totals).toEqual({ issued: 455, redeemed: 50, ending_within_24_h: 0 })
  expect(bySite.busiest.map(({ site }: any) => site)).toEqual(names.toReversed().slice(0, 7))
  expect(bySite.others).toEqual({ count: 2, issued: 10 + 5 + 20 })
  expect(bySite.count).toBe(9)
  expect(week).toMatchObject({ today, time_zone: 'Europe/Berlin', site: null })
})

test('the period is 30 days unless the client names 7 or 90', async () => {
  expect((await get('')).days).toHaveLength(30)
  expect((await get('?days=90')).days).toHaveLength(90)
  expect((await get('')).totals.issued).toBe(555)
  expect((await app.call('/api/v2/overview?days=8', admin)).status).toBe(400)
})

test('one site: its days, who created its vouchers, and its controller', async () => {
  const { totals, sites: bySite, site } = await get(`?site_id=${adler}&days=7`)

  expect([totals.issued, bySite]).toEqual([15, null])
  expect(site.makers).toEqual([
    { kind: 'controller', id: null, name: null, issued: 11 },
    { kind: 'key', id: key, name: 'Check-in', issued: 3 },
    { kind: 'staff', id: admin.id, name: 'Anna', issued: 1 },
  ])
  expect(site.other_makers).toEqual({ count: 0, issued: 0 })
  expect(site.controller.days).toHaveLength(30)
  expect(site.controller).toMatchObject({ unreachable_seconds: 0, outages: 0, reachable_since: expect.any(String) })
})

test('a manager gets the figures and the problems of their own sites only', async () => {
  await db.query(`update sites set unrecorded = 2 where id = any ($1)`, [[baer, dachs]])
  const all = await get('?days=7')
  const own = await get('?days=7', manager)

  expect(own.totals.issued).toBe(10 + 5 + 20)
  expect([own.sites.count, own.sites.others]).toEqual([2, { count: 0, issued: 0 }])
  expect(own.sites.wall.map(({ site_id }: any) => site_id)).toEqual([adler, baer])
  expect(all.attention.unrecorded).toHaveLength(2)
  expect(own.attention.unrecorded).toEqual([{ site_id: baer, site: 'Bär', vouchers: 2 }])
})

test('controllers: an outage, a changed certificate, a rejected sign-in and a failure that lasts', async () => {
  await db.query(`update controllers set created_at = now() - interval '40 days'`)
  const outage = `insert into controller_outages (controller_id, since) select controller_id, now() - interval '1 hour' from sites`
  await db.query(`${outage} where id = $1`, [adler])
  await db.query(`update sites set sync_failure = 'sign_in', sync_failing_since = now() where id = $1`, [baer])
  await db.query(
    `update sites set synced_at = now(), sync_failure = 'timeout', sync_failing_since = now() where id = $1`,
    [dachs],
  )
  await db.query(
    `update sites set sync_failure = 'timeout', sync_failing_since = now() - interval '1 hour' where id = $1`,
    [esel],
  )
  const { attention, sites: bySite } = await get('')
  await db.query(`update controller_outages set reason = 'certificate_changed'`)
  const one = await get(`?site_id=${adler}`)

  expect(attention.controllers.map(({ problem, site_id, site_count }: any) => [problem, site_id, site_count])).toEqual([
    ['unreachable', adler, 1],
    ['failing', esel, 1],
    ['sign_in_refused', baer, 1],
  ])
  expect(bySite.wall.slice(0, 5).map(({ state }: any) => state)).toEqual([
    'unreachable',
    'sign_in_refused',
    'reachable',
    'failing',
    'unknown',
  ])
  expect(one.attention.controllers).toMatchObject([{ problem: 'certificate', site_id: adler }])
  expect(one.site.controller).toMatchObject({ outages: 1, reachable_since: null })
  expect(Math.abs(one.site.controller.unreachable_seconds - 3_600)).toBeLessThan(60)
})

test('webhooks that fail, batches that wait, and keys that expire or reach their limit', async () => {
  const failing = await seedWebhook(db, { siteIds: [adler] })
  const disabled = await seedWebhook(db)
  await seedWebhook(db)
  await db.query(`update webhooks set failing_since = now() where id = any ($1)`, [[failing, disabled]])
  await db.query(`update webhooks set disabled_at = now(), disabled_reason = 'gone' where id = $1`, [disabled])
  await db.query(
    `insert into batches (site_id, id, actor, request_hash, max_uses, expire_minutes, held_up_since)
     values ($1, gen_random_uuid(), 'key:x', '', 1, 60, now())`,
    [baer],
  )
  const soon = await seedKey(db, { name: 'Soon', expiresAt: new Date(Date.now() + 5 * 86_400_000) })
  const busy = await seedKey(db, { name: 'Busy' })
  const calm = await seedKey(db, { name: 'Calm', expiresAt: new Date(Date.now() + 20 * 86_400_000) })
  for (const [{ id }, limited] of [
    [busy, 11],
    [calm, 10],
  ] as const)
    await db.query('insert into api_key_days (api_key_id, day, limited) values ($1, $2, $3)', [id, today, limited])
  const { attention } = await get('')
  const own = (await get('', manager)).attention

  expect(attention.webhooks.map(({ id }: any) => id)).toEqual([disabled, failing])
  expect(attention.batches).toMatchObject([{ site_id: baer, site: 'Bär' }])
  expect(attention.keys.map(({ id, limited }: any) => [id, limited])).toEqual([
    [soon.id, 0],
    [busy.id, 11],
  ])
  expect([own.webhooks.map(({ id }: any) => id), own.batches.length, own.keys]).toEqual([[failing], 1, []])
})

test('administrators see since when the mail server fails, and why', async () => {
  await seedFailingMessages(db, adler, { count: 2, minutes: 20 })
  const { mail: none } = (await get('')).attention
  await setMailServer(app.context, testActor, { host: 'smtp.adler.example', security: 'tls' })
  const { mail } = (await get('')).attention
  const german = await app.call('/api/v2/overview', { ...admin, headers: { 'accept-language': 'de' } })
  const other = (await get('', manager)).attention.mail
  await db.query('delete from messages')

  expect(none).toMatchObject({ failure: 'not_set_up', message: 'The mail server or the sender is missing. Enter it.' })
  expect(mail).toEqual({
    failing_since: expect.any(String),
    failure: 'port_closed',
    message: expect.stringContaining('Nothing listens on port 465 of smtp.adler.example.'),
    answer: null,
    waiting: 2,
  })
  expect(Date.now() - Date.parse(mail.failing_since)).toBeGreaterThan(19 * 60_000)
  expect(german.json().attention.mail.message).toContain('Auf Port 465 von smtp.adler.example antwortet kein Programm.')
  expect([other, (await get('')).attention.mail]).toEqual([null, null])
})

test('the overview says whether a worker runs', async () => {
  const before = await get('', manager)
  await startWorkerOf(app)

  expect(before.attention.worker_running).toBe(false)
  // The worker becomes the listening one a moment after its start.
  await expect.poll(async () => (await get('', manager)).attention.worker_running).toBe(true)
})
