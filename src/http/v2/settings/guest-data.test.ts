import { beforeEach, expect, test } from 'vitest'
import { findSender, setMailSender } from '#domain/mail-server/mail-senders.ts'
import { removeSite } from '#domain/sites/remove-site.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedPerson, seedSite, seedVoucher, testActor } from '#test/data/seed.ts'

const app = await startApp()
const { session } = await seedPerson(app.db, { role: 'admin', name: 'K. Vogt' })
const path = '/api/v2/settings/guest-data'
const ask = (method: string, rest = '', body?: object) =>
  app.call(`${path}${rest}`, { method, session, ...(body && { body: JSON.stringify(body) }) })
const preview = async (body: object) => (await ask('POST', '/preview', body)).json()
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

beforeEach(async () => {
  await app.db.query('delete from settings')
  await app.db.query('delete from vouchers')
})

test('guests are never forgotten until somebody chooses days', async () => {
  expect((await ask('GET')).json()).toEqual({
    forget_after_days: null,
    unused_after_days: null,
    delete_on_controller: false,
    exceptions: [],
    last_run: null,
  })
})

test('days, sites with other days and the deletion on controllers are set and removed; every change is audited once', async () => {
  await app.db.query('delete from audit')
  const site = await seedSite(app.db, { name: 'Kongresshalle' })
  await ask('PATCH', '', { forget_after_days: 90, delete_on_controller: true })
  await ask('PATCH', '', { forget_after_days: 90 })
  await ask('PUT', `/sites/${site}`, { forget_after_days: null })
  await ask('PUT', `/sites/${site}`, { forget_after_days: null })
  const answer = (await ask('PUT', `/sites/${site}`, { forget_after_days: 7 })).json()
  const removed = [await ask('DELETE', `/sites/${site}`), await ask('DELETE', `/sites/${site}`)]
  await ask('PATCH', '', { forget_after_days: null })

  expect(answer).toEqual({
    forget_after_days: 90,
    unused_after_days: null,
    delete_on_controller: true,
    exceptions: [
      {
        site_id: site,
        site: 'Kongresshalle',
        forget_after_days: 7,
        changed_by: 'K. Vogt',
        changed_at: expect.any(String),
      },
    ],
    last_run: null,
  })
  expect(removed.map(({ status }) => status)).toEqual([204, 204])
  expect((await ask('GET')).json()).toMatchObject({ forget_after_days: null, exceptions: [] })
  const { rows } = await app.db.query('select action, target_id as target, details from audit order by id')
  const settings = { action: 'settings.guest_data_changed', target: 'guest-data' }
  const ofSite = { action: 'site.forgetting_changed', target: String(site) }
  const change = (before: unknown, after: unknown) => ({
    name: 'Kongresshalle',
    before: { forgetAfterDays: before },
    changes: { forgetAfterDays: after },
  })
  expect(rows).toEqual([
    {
      ...settings,
      details: {
        before: { forgetAfterDays: null, deleteOnController: false },
        changes: { forgetAfterDays: 90, deleteOnController: true },
      },
    },
    { ...ofSite, details: change('as all sites', 'never') },
    { ...ofSite, details: change('never', 7) },
    { ...ofSite, details: change(7, 'as all sites') },
    { ...settings, details: { before: { forgetAfterDays: 90 }, changes: { forgetAfterDays: null } } },
  ])
})

test.each([
  ['PATCH', '', {}, 'body'],
  ['PATCH', '', { forget_after_days: 0 }, 'forget_after_days'],
  ['PATCH', '', { forget_after_days: 3_651 }, 'forget_after_days'],
  ['PATCH', '', { forget_after_days: 1.5 }, 'forget_after_days'],
  ['PATCH', '', { forget_after_days: '7' }, 'forget_after_days'],
  ['PATCH', '', { unused_after_days: -1 }, 'unused_after_days'],
  ['PATCH', '', { delete_on_controller: null }, 'delete_on_controller'],
  ['PATCH', '', { days: 7 }, 'days'],
  ['PUT', '/sites/1', {}, 'forget_after_days'],
  ['PUT', '/sites/1', { forget_after_days: 0 }, 'forget_after_days'],
  ['POST', '/preview', { exceptions: [{ site_id: 1 }] }, 'exceptions[0].forget_after_days'],
])('%s %s %j is rejected', async (method, rest, body, field) => {
  const answer = await ask(method, rest, body)

  expect([answer.status, answer.json().errors[0].field]).toEqual([400, field])
})

test('a site that does not exist, and a text that is no number, are not found', async () => {
  const statuses = ['999999', '0', 'x', '2147483648', '%00'].map(
    async (site) => (await ask('PUT', `/sites/${site}`, { forget_after_days: 7 })).status,
  )

  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404, 404])
})

test('the preview counts what the next run would do with the given values instead of the saved ones', async () => {
  const [here, there] = [await seedSite(app.db), await seedSite(app.db)]
  const ended = (siteId: number, name: string, days: number) =>
    seedVoucher(app.db, siteId, { name: `2026-01-01_${name}`, status: 'expired', expiresAt: daysAgo(days) })
  await ended(here, 'Familie Huber', 40)
  await ended(here, 'Familie Huber', 50)
  await ended(here, 'Sabine', 20)
  await ended(there, 'Familie Huber', 100)
  await seedVoucher(app.db, here, { name: 'Unbenutzt', createdAt: daysAgo(500) })
  await seedVoucher(app.db, here, { name: 'Laeuft', createdAt: daysAgo(500), expiresAt: daysAgo(-1), usedCount: 1 })
  await ask('PATCH', '', { forget_after_days: 90 })
  await ask('PUT', `/sites/${there}`, { forget_after_days: 200 })
  const nothing = { guests: 0, vouchers: 0, sites: 0, revoked: 0, has_more: false }

  expect(await preview({})).toEqual(nothing)
  expect(await preview({ forget_after_days: 30 })).toEqual({ ...nothing, guests: 1, vouchers: 2, sites: 1 })
  expect(await preview({ forget_after_days: 10, exceptions: [] })).toEqual({
    ...nothing,
    guests: 3,
    vouchers: 4,
    sites: 2,
  })
  expect(await preview({ forget_after_days: null, exceptions: [{ site_id: there, forget_after_days: 99 }] })).toEqual({
    ...nothing,
    guests: 1,
    vouchers: 1,
    sites: 1,
  })
  expect(await preview({ unused_after_days: 400 })).toEqual({ ...nothing, revoked: 1 })
  expect(await preview({ unused_after_days: 420 })).toEqual(nothing)
  expect((await ask('GET')).json().forget_after_days).toBe(90)
})

test('an API key needs the right to all sites', async () => {
  const site = await seedSite(app.db)
  const limited = await seedKey(app.db, { scope: 'manage', siteIds: [site] })
  const { key } = await seedKey(app.db, { scope: 'manage' })
  const change = { method: 'PATCH', body: JSON.stringify({ forget_after_days: 5 }) }

  expect((await app.call(path, { key: limited.key, ...change })).json().error).toBe('all_sites_required')
  expect((await app.call(path, { key, ...change })).status).toBe(200)
})

test('the settings of a removed site do not apply to another site that an import gives the same number', async () => {
  const site = await seedSite(app.db)
  const sender = { name: 'Nord', address: 'nord@adler.example', replyTo: null }
  await ask('PUT', `/sites/${site}`, { forget_after_days: 1 })
  await setMailSender(app.context, testActor, site, sender)
  await removeSite(app.db, testActor, site)
  await app.db.query(
    `insert into sites (id, name, controller_id, controller_site) overriding system value
     select $1, 'Süd', id, 'default' from controllers where id not in (select controller_id from sites) limit 1`,
    [site],
  )

  expect((await ask('GET')).json().exceptions).toEqual([])
  expect(await findSender(app.context, site)).toBeNull()
})
