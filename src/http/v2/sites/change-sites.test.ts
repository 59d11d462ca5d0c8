import { expect, test } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { seedController, seedKey, seedPerson, seedSite, seedVoucher, seedWebhook } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'manage', name: 'Administration' })
const ask = async (method: string, path: string, body?: object | Buffer) => {
  const answer = await app.call(`/api/v2${path}`, {
    method,
    key,
    ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, body: answer.text === '' ? undefined : answer.json() }
}
const importing = (text: string, dryRun = false) =>
  ask('POST', dryRun ? '/sites/import/check' : '/sites/import', Buffer.from(text))
const countSites = async () =>
  (await app.db.query<{ sites: number }>('select count(*)::integer as sites from sites')).rows[0]?.sites ?? 0
const header = 'name,controller,controller_site'

async function addController(name: string, { url, apiKey, fingerprint }: Awaited<ReturnType<typeof startSimulator>>) {
  const login = { driver: 'unifi-integration', address: url, secret: apiKey, certificate_pin: fingerprint ?? null }
  return (await ask('POST', '/controllers', { name, ...login })).body.id as string
}

test('an import of 400 sites: a dry run writes nothing, then all are added, then all exist', async () => {
  const controller = await seedController(app.db)
  const rows = Array.from({ length: 400 }, (_, n) => `Hotel ${n},${controller},site-${n}`)
  const text = `\ufeff${[header, ...rows].join('\r\n')}`
  const before = await countSites()

  const dry = await importing(text, true)
  const afterDry = await countSites()
  const first = await importing(text)
  const second = await importing(text)

  expect([dry.status, dry.body.added, dry.body.refused]).toEqual([200, 400, 0])
  expect(dry.body.rows[0]).toEqual({
    line: 2,
    name: 'Hotel 0',
    outcome: 'added',
    code: null,
    column: null,
    value: null,
    other_line: null,
    site: null,
  })
  expect([first.body.added, second.body.added, second.body.existing]).toEqual([400, 0, 400])
  expect([afterDry - before, (await countSites()) - before]).toEqual([0, 400])
})

test('an import with one wrong row adds no row; the dry run says what is wrong in each line', async () => {
  const controller = await seedController(app.db)
  const good = `Hotel,${controller},a,,`
  const bad = [
    `Hotel,nowhere,b,,`,
    `Hotel,${controller},a,,`,
    `,${controller},c,,`,
    `Hotel,${controller},d,perhaps,`,
    `Hotel,${controller}`,
  ]
  const text = [`${header},active,adopt`, good, ...bad].join('\n')
  const before = await countSites()

  const refused = await importing(text)
  const { body: report } = await importing(text, true)
  const unknownController = await importing(`${header}\nHotel,nowhere,b\nHof,${controller},b`)

  expect([refused.status, refused.body.error]).toEqual([409, 'import_refused'])
  expect([unknownController.status, unknownController.body.message]).toEqual([
    409,
    'Rows that cannot be added: 1. No row was added. Correct the file and import it again.',
  ])
  expect(await countSites()).toBe(before)
  expect(
    report.rows.map(({ line, code, column, value, other_line }: any) => [line, code, column ?? value ?? other_line]),
  ).toEqual([
    [2, null, null],
    [3, 'controller_not_found', 'nowhere'],
    [4, 'row_repeated', 2],
    [5, 'column_empty', 'name'],
    [6, 'column_not_yes_or_no', 'active'],
    [7, 'row_length_wrong', null],
  ])
})

test.each([
  ['a missing column', Buffer.from('name,controller\nx,y'), 400, 'csv_columns_missing'],
  ['another encoding', Buffer.from(`${header}\nSüd,c1,main\n`, 'latin1'), 400, 'csv_not_utf8'],
  ['more than 5,000 rows', Buffer.from(`${header}\n${'a,b,c\n'.repeat(5_001)}`), 400, 'csv_too_long'],
  ['more than 1 MiB', Buffer.alloc(1024 * 1024 + 1, 'x'), 413, 'payload_too_large'],
  ['no file', undefined, 400, 'csv_columns_missing'],
])('a file cannot be imported: %s', async (_what, file, status, error) => {
  const { status: got, body } = await ask('POST', '/sites/import', file)

  expect([got, body.error]).toEqual([status, error])
})

test('the effects of a deactivation name working keys, webhooks and people limited to the site, and count those for all sites', async () => {
  const site = await seedSite(app.db)
  const other = await seedSite(app.db)
  const limited = await seedKey(app.db, { name: 'Check-in', siteIds: [site, other] })
  await seedKey(app.db, { name: 'Other', siteIds: [other] })
  const revoked = await seedKey(app.db, { name: 'Revoked', siteIds: [site] })
  await app.db.query('update api_keys set revoked_at = now() where id = $1', [revoked.id])
  const webhook = await seedWebhook(app.db, { siteIds: [site] })
  const person = await seedPerson(app.db, { siteIds: [site], name: 'Ida Desk' })
  const admin = await seedPerson(app.db, { role: 'admin' })
  await seedVoucher(app.db, site, { code: '1' })
  await seedVoucher(app.db, site, { code: '2', status: 'revoked' })

  const answer = await app.call(`/api/v2/sites/${site}/effects`, { session: admin.session })

  expect(answer.json()).toMatchObject({
    keys: [{ id: limited.id, name: 'Check-in' }],
    webhooks: [{ id: webhook }],
    people: [{ id: person.id, name: 'Ida Desk' }],
    limited: { keys: 1, webhooks: 1, people: 1 },
    all_sites: { keys: 1, webhooks: 0, people: 1 },
    valid_vouchers: 1,
  })
})

test('the list of sites on a controller says which are recorded; one request adds all others, and a repeat adds none', async () => {
  const simulator = await startSimulator('--site', 'default=Default', '--site', 'branch=Branch', '--site', 'pool=Pool')
  const controller = await addController('Three sites', simulator)
  const path = `/controllers/${controller}/sites`
  const branchId = [...(await simulator.siteReferences())].find(([, reference]) => reference === 'branch')?.[0]
  // An import may record the second id of a site.
  await importing(`${header}\nZweigstelle,Three sites,${branchId}`)
  const before = (await ask('GET', path)).body.sites

  const names = [{ controller_site: 'pool', name: ' Freibad ' }]
  const unnamed = await ask('POST', path, {
    controller_sites: ['pool'],
    names: [{ controller_site: 'pool', name: ' ' }],
  })
  const some = await ask('POST', path, { controller_sites: ['pool'], names })
  const all = await ask('POST', path, {})
  const again = await ask('POST', path, {})

  expect(before.map(({ controller_site, site_id }: any) => [controller_site, site_id !== null])).toEqual([
    ['default', false],
    ['branch', true],
    ['pool', false],
  ])
  expect([some, all, again].map(({ status, body }) => [status, body.site_ids.length])).toEqual([
    [201, 1],
    [201, 1],
    [201, 0],
  ])
  const { body: pool } = await ask('GET', `/sites/${some.body.site_ids[0]}/settings`)
  expect(unnamed.body.error).toBe('display_name_invalid')
  expect([pool.name, pool.controller_site, pool.active]).toEqual(['Freibad', 'pool', true])
})

test('the sites of a hotspot operator can be listed after the first one was added with its id', async () => {
  const sites = ['--site', 'default=Default', '--site', 'branch=Branch']
  const simulator = await startSimulator('--flavour', 'self-hosted', ...sites, '--hotspot-operator', 'branch')
  const { username, password } = simulator.login
  const body = { name: 'Operator', driver: 'unifi-classic', address: simulator.url, username, secret: password }
  const { id } = (await ask('POST', '/controllers', body)).body

  const added = await ask('POST', '/sites', { name: 'Branch', controller_id: id, controller_site: 'branch' })
  await simulator.behave({ expireSessions: true })
  const listed = await ask('GET', `/controllers/${id}/sites`)

  expect(added.status).toBe(201)
  expect(listed.body.sites).toEqual([{ controller_site: 'branch', name: 'Branch', site_id: added.body.id }])
})

test('a controller shows that its certificate changed, then that it rejects the sign-in; a new secret makes its sites due', async () => {
  const [old, renewed] = [await startSimulator('--https'), await startSimulator('--https')]
  const controller = await addController('Renewed', old)
  const site = (await ask('POST', '/sites', { name: 'Haus', controller_id: controller })).body.id
  const state = async () => {
    const { body } = await ask('GET', `/controllers/${controller}`)
    return [body.state, body.unreachable_reason, body.failing_since !== null]
  }
  const fresh = await state()
  await syncSite(app.context, site)
  const synced = await state()
  await app.db.query('update controllers set address = $2 where id = $1', [controller, renewed.url])
  await syncSite(app.context, site)
  const changed = await state()

  const pin = { certificate_pin: renewed.fingerprint, secret: 'wrong' }
  await ask('PATCH', `/controllers/${controller}`, pin)
  await app.db.query('update controller_outages set until = now()')
  await syncSite(app.context, site)
  const refused = await state()
  const { rows: waiting } = await app.db.query<any>('select next_sync_at > now() as waits from sites where id = $1', [
    site,
  ])
  await ask('PATCH', `/controllers/${controller}`, { secret: renewed.apiKey })
  const { rows: due } = await app.db.query<any>('select next_sync_at <= now() as due from sites where id = $1', [site])
  await syncSite(app.context, site)

  expect([fresh, synced, changed, refused, await state()]).toEqual([
    ['unknown', null, false],
    ['reachable', null, false],
    ['certificate', 'certificate_changed', true],
    ['sign_in_refused', null, true],
    ['reachable', null, false],
  ])
  expect([waiting[0].waits, due[0].due]).toEqual([true, true])
})

test('a controller that does not answer shows the reason', async () => {
  const simulator = await startSimulator()
  const controller = await addController('Stopped', simulator)
  const site = (await ask('POST', '/sites', { name: 'Haus', controller_id: controller })).body.id
  await simulator.stop()
  await syncSite(app.context, site)

  expect((await ask('GET', `/controllers/${controller}`)).body).toMatchObject({
    state: 'unreachable',
    unreachable_reason: 'connection_refused',
  })
})

test('the user name of a controller is shown, its password never', async () => {
  const login = { driver: 'unifi-classic', address: 'https://10.0.0.1', username: 'vouchers', secret: 'canary-secret' }
  const { body } = await ask('POST', '/controllers', { name: 'Classic', ...login })
  const shown = await ask('GET', `/controllers/${body.id}`)

  expect([body.username, shown.body.username]).toEqual(['vouchers', 'vouchers'])
  expect(JSON.stringify([body, shown])).not.toContain('canary-secret')
})

test('429 with Retry-After after 20 imports or checks in a minute; a key that may not import is rejected before the file is read', async () => {
  const [many, limited] = [
    await seedKey(app.db, { scope: 'manage' }),
    await seedKey(app.db, { scope: 'manage', siteIds: [await seedSite(app.db)] }),
  ]
  const send = (path: string, { key }: { key: string }) =>
    app.call(`/api/v2${path}`, { method: 'POST', key, body: Buffer.from('not,a,site') })
  const paths = ['/sites/import', '/sites/import/check']

  for (let i = 0; i < 20; i++) expect((await send(paths[i % 2] as string, many)).status).toBe(400)
  for (const path of paths) {
    const { status, headers, json } = await send(path, many)
    expect([status, json().error]).toEqual([429, 'imports_too_many'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await send(path, limited)).status).toBe(403)
  }
})
