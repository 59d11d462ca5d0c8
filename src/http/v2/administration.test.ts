import { expect, test } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedController, seedKey, seedSite } from '#test/data/seed.ts'
import { timeLimit } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const simulator = await startSimulator('--site', 'default=Default', '--site', 'branch=Branch')
const { key } = await seedKey(app.db, { scope: 'manage' })
const ask = async (method: string, path: string, body?: object) => {
  const answer = await app.call(`/api/v2${path}`, { method, key, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: answer.text === '' ? undefined : answer.json() }
}

test('me: a limited key with an expiry, and a key without limits', async () => {
  const site = await seedSite(app.db)
  const expiresAt = new Date('2127-01-31T12:00:00.000Z')
  const limited = await seedKey(app.db, { name: 'Desk', siteIds: [site], rateLimit: 60, expiresAt })
  const me = async (text: string) => (await app.call('/api/v2/me', { key: text })).json()

  expect(await me(limited.key)).toEqual({
    kind: 'key',
    id: limited.id,
    name: 'Desk',
    scope: 'read',
    all_sites: false,
    site_ids: [site],
    limits: { requests_per_minute: 60, vouchers_per_day: null, longest_minutes: null },
    expires_at: expiresAt.toISOString(),
  })
  expect(await me(key)).toMatchObject({
    scope: 'manage',
    all_sites: true,
    site_ids: [],
    limits: { requests_per_minute: null },
  })
})

test("a controller's site that is recorded cannot be added again under another of its ids", async () => {
  const login = { driver: 'unifi-integration', address: simulator.url, secret: simulator.apiKey }
  const { body: controller } = await ask('POST', '/controllers', { name: 'Several ids', ...login })
  const idOf = new Map([...(await simulator.siteReferences())].map(([id, reference]) => [reference, id]))
  const add = async (controller_site: string | undefined) => {
    const { status, body } = await ask('POST', '/sites', { name: 'x', controller_id: controller.id, controller_site })
    return [status, body.error]
  }

  expect(await add('default')).toEqual([201, undefined])
  expect(await add(idOf.get('default'))).toEqual([409, 'controller_site_taken'])
  expect(await add('Default')).toEqual([409, 'controller_site_taken'])
  expect(await add(idOf.get('branch'))).toEqual([201, undefined])
  expect(await add('branch')).toEqual([409, 'controller_site_taken'])
})

test("a controller's site is recorded under its first id, so two requests at once cannot add it twice", async () => {
  const login = { driver: 'unifi-integration', address: simulator.url, secret: simulator.apiKey }
  const { body: controller } = await ask('POST', '/controllers', { name: 'At once', ...login })
  const ids = [...(await simulator.siteReferences())].flatMap(([id, name]) =>
    name === 'branch' ? [id, name, 'Branch'] : [],
  )
  const answers = await Promise.all(
    ids.map((id) => ask('POST', '/sites', { name: id, controller_id: controller.id, controller_site: id })),
  )
  const added = answers.filter(({ status }) => status === 201)

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  expect(added.map(({ body }) => body.controller_site)).toEqual(['branch'])
})

test('controller, site and template: created, changed, and removed in the right order only', async () => {
  const login = { driver: 'unifi-integration', address: simulator.url, secret: simulator.apiKey }
  const { body: controller } = await ask('POST', '/controllers', { name: 'Console', ...login })
  const { body: sites } = await ask('GET', `/controllers/${controller.id}/sites`)
  const nowhere = await ask('POST', '/sites', { name: 'x', controller_id: controller.id, controller_site: 'nowhere' })
  const { body: site } = await ask('POST', '/sites', { name: 'Haus', controller_id: controller.id })
  const again = await ask('POST', '/sites', { name: 'Haus', controller_id: controller.id })
  const template = await ask('POST', '/templates', { name: 'Tag', expire_minutes: 1440, site_id: site.id })
  const path = `/templates/${template.body.id}`
  const changed = await ask('PATCH', path, { qos: { up_kbps: 500 }, unused_days: 3 })
  const renamed = await ask('PATCH', `/sites/${site.id}`, { name: 'Turm', active: false, tags_names: true })

  expect(sites.sites).toEqual([
    { controller_site: 'default', name: 'Default', site_id: null },
    { controller_site: 'branch', name: 'Branch', site_id: null },
  ])
  expect([nowhere.status, nowhere.body.error]).toEqual([400, 'controller_site_not_found'])
  expect(nowhere.body.errors).toMatchObject([{ field: 'controller_site', code: 'not_usable' }])
  expect([again.status, again.body.error]).toEqual([409, 'controller_site_taken'])
  expect(changed.body).toEqual({
    ...template.body,
    qos: { down_kbps: 0, up_kbps: 500, quota_mb: 0 },
    unused_days: 3,
  })
  expect(renamed.body).toEqual({ ...site, name: 'Turm', active: false, tags_names: true })
  const removals = [
    `/controllers/${controller.id}`,
    `/sites/${site.id}`,
    path,
    `/sites/${site.id}`,
    `/controllers/${controller.id}`,
  ]
  const statuses = []
  for (const removal of removals) statuses.push((await ask('DELETE', removal)).status)
  expect(statuses).toEqual([409, 409, 204, 204, 204])
})

test('a new address erases the secret unless the request has a new one; the sites of a controller without a secret cannot be read', async () => {
  const login = { driver: 'unifi-integration', address: simulator.url, secret: simulator.apiKey }
  const { body: controller } = await ask('POST', '/controllers', { name: 'Moved', ...login })
  const path = `/controllers/${controller.id}`
  const moved = await ask('PATCH', path, { address: 'https://127.0.0.1:1' })
  const refused = await ask('GET', `${path}/sites`)
  const entered = await ask('PATCH', path, { address: simulator.url, secret: simulator.apiKey })

  expect([moved.body.has_secret, entered.body.has_secret]).toEqual([false, true])
  expect([refused.status, refused.body.error]).toEqual([409, 'controller_check_failed'])
  expect(refused.body.message).toMatch(/^The sites of the controller could not be read \(\w+\)\. Test the connection/)
  expect((await ask('GET', `${path}/sites`)).status).toBe(200)
})

test.each(['controllers', 'sites', 'templates'])(
  'PATCH /%s/{id} without a field: rejected, and the fields are named',
  async (kind) => {
    const { status, body } = await ask('PATCH', `/${kind}/1`, {})

    expect([status, body.errors[0].field, body.errors[0].code]).toEqual([400, 'body', 'nothing_to_change'])
    expect(body.errors[0].allowed.fields).toContain('name')
  },
)

const classic = { name: 'C', driver: 'unifi-classic', address: 'https://10.0.0.1', secret: 's' }
const integration = { ...classic, driver: 'unifi-integration' }
const pin = Array(32).fill('AB').join(':')
const newSite = { name: 'x', controller_id: await seedController(app.db), unchecked: true }
test.each([
  ['/templates', { name: '\n', expire_minutes: 1 }, 'display_name_invalid', 'name bad_format'],
  ['/sites', { ...newSite, controller_site: '' }, 'display_name_invalid', 'controller_site bad_format'],
  ['/controllers', { ...classic, driver: 'x' }, 'driver_not_found', 'driver not_usable'],
  ['/controllers', { ...classic, driver: 'x', username: 'a' }, 'driver_not_found', 'driver not_usable'],
  ['/controllers', { ...integration, address: 'x' }, 'controller_address_unreadable', 'address bad_format'],
  [
    '/controllers',
    { ...integration, address: 'https://u:p@x' },
    'controller_address_with_extras',
    'address bad_format',
  ],
  [
    '/controllers',
    { ...integration, address: 'http://127.0.0.1', certificate_pin: pin },
    'certificate_pin_without_tls',
    'certificate_pin not_usable',
  ],
  ['/controllers', { ...classic, username: 'a@b' }, 'cloud_account', 'username not_usable'],
  ['/controllers', { ...integration, username: 'a' }, 'username_not_supported', 'username not_usable'],
  ['/controllers', classic, 'username_required', 'username required'],
  ['/webhooks', { url: 'x' }, 'webhook_url_unreadable', 'url bad_format'],
  ['/webhooks', { url: 'https://u:p@example.com' }, 'webhook_url_with_credentials', 'url bad_format'],
  ['/webhooks', { url: 'https://10.0.0.1' }, 'webhook_url_forbidden', 'url not_usable'],
])('POST %s with %j: %s, and errors names the field', async (path, sent, error, field) => {
  const { status, body } = await ask('POST', path, sent)

  expect([status, body.error]).toEqual([400, error])
  expect(body.errors.map((each: any) => `${each.field} ${each.code}`)).toEqual([field])
  expect(body.errors[0].message).toBe(body.message)
})

test('a limited key is told that it needs all sites, even if the name of the webhook is taken', async () => {
  const site = await seedSite(app.db)
  const limited = await seedKey(app.db, { scope: 'manage', siteIds: [site] })
  await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', name: 'Taken' })
  const body = JSON.stringify({ url: 'http://127.0.0.1:9/hook', name: 'Taken' })
  const answer = await app.call('/api/v2/webhooks', { method: 'POST', key: limited.key, body })

  expect([answer.status, answer.json().error]).toEqual([403, 'all_sites_required'])
})

test('a controller that hangs holds a request for a few seconds only; unchecked adds the site', async () => {
  const hanging = await startSimulator()
  const { body: controller } = await ask('POST', '/controllers', {
    name: 'Hung',
    driver: 'unifi-integration',
    address: hanging.url,
    secret: hanging.apiKey,
  })
  await hanging.fault('hang-before', { on: 'any', times: 50 })
  const started = performance.now()
  const refused = await ask('POST', '/sites', { name: 'x', controller_id: controller.id })

  expect([refused.status, refused.body.error]).toEqual([409, 'controller_check_failed'])
  expect(refused.body.message).toContain('"unchecked": true')
  expect(performance.now() - started).toBeLessThan(timeLimit(15_000))
  expect((await ask('POST', '/sites', { name: 'x', controller_id: controller.id, unchecked: true })).status).toBe(201)
})

test('sync: the site becomes due now, and synced_at shows when the sync is done; an inactive site is rejected', async () => {
  const site = await seedControlledSite(app.db, simulator)
  await syncSite(app.context, site)
  const isDue = async () =>
    (await app.db.query('select next_sync_at <= now() as due from sites where id = $1', [site])).rows[0]?.due
  expect(await isDue()).toBe(false)
  const { status, body } = await ask('POST', `/sites/${site}/sync`)

  expect([status, await isDue()]).toEqual([202, true])
  await syncSite(app.context, site)
  const { synced_at } = (await ask('GET', `/sites/${site}`)).body
  expect(Date.parse(synced_at)).toBeGreaterThanOrEqual(Date.parse(body.requested_at))
  await ask('PATCH', `/sites/${site}`, { active: false })
  expect((await ask('POST', `/sites/${site}/sync`)).body.error).toBe('site_inactive')
})

test('lists of controllers and webhooks come in pages', async () => {
  for (let i = 0; i < 3; i++) {
    await seedController(app.db)
    await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' })
  }
  for (const thing of ['controllers', 'webhooks']) {
    const all = (await ask('GET', `/${thing}?limit=200`)).body[thing].map(({ id }: any) => id)
    const seen: string[] = []
    for (let query = '?limit=2'; ; ) {
      const { body } = await ask('GET', `/${thing}${query}`)
      seen.push(...body[thing].map(({ id }: any) => id))
      if (body.next_cursor === null) break
      query = `?limit=2&cursor=${body.next_cursor}`
    }
    expect(seen).toEqual(all)
    expect(seen.length).toBeGreaterThanOrEqual(3)
  }
})
