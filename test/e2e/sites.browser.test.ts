import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { setController } from '#domain/sites/set-controller.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedKey, seedPerson, seedSite, seedVoucher, seedWebhook, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { isLong } from '#test/measuring.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const browser = await startBrowser()
/** Only in the long run, because CI has ten minutes. */
const long = test.runIf(isLong)
const administrator = await seedPerson(app.db, { role: 'admin', name: 'Katrin Vogt' })

const openAs = ({ session }: { session: string }) => openPage(browser, { url: app.url, session })

async function recordController(name: string, simulator: Simulator, credentials: object = {}): Promise<string> {
  const certificatePin = simulator.fingerprint && (parseFingerprint(simulator.fingerprint) as Buffer)
  const { id } = await addController({ db: app.db, keyring: testKeyring, drivers: testDrivers }, testActor, {
    name,
    driver: 'login' in credentials ? 'unifi-classic' : 'unifi-integration',
    address: simulator.url,
    credentials:
      'login' in credentials
        ? (credentials.login as { username: string; password: string })
        : { apiKey: simulator.apiKey },
    ...(certificatePin && { certificatePin }),
  })
  return id
}

const siteNamed = async (name: string) =>
  (await app.db.query<{ id: number }>('select id from sites where name = $1', [name])).rows[0]?.id as number
const line = (page: Page, layer: string) => page.locator(`li[data-layer=${layer}]`)

test('300 sites are imported and searched; the one whose password was wrong gets a new one and is reachable', async () => {
  const numbers = Array.from({ length: 299 }, (_, n) => n + 1)
  const simulatedSites = ['default=Default', ...numbers.map((n) => `site-${n}=Gasthof ${n}`)]
  const simulator = await startSimulator(...simulatedSites.flatMap((site) => ['--site', site]))
  await recordController('unifi-01', simulator)
  await recordController('unifi-13', simulator, { login: { ...simulator.login, password: 'old password' } })
  const rows = numbers.map((n) => `Gasthof ${n},unifi-01,site-${n}`)
  const csv = (more: string) => ['name,controller,controller_site', ...rows, more].join('\n')
  const page = await openAs(administrator)
  await page.goto('/sites')
  await page.getByText('No sites yet').waitFor()
  if (isLong) await expectAccessible(page, 'sites none')
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.getByRole('button', { name: 'Import CSV' }).click()
  const upload = (text: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'sites.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await upload(csv('Hotel am Schlosspark,unifi-31,default'))
  await page.getByText('1 line is wrong, so no site can be added.').waitFor()
  expect(await page.getByText('No controller is called “unifi-31”.').locator('xpath=../..').innerText()).toContain(
    'Line 301',
  )
  if (isLong) await expectAccessible(page, 'sites import wrong', { widths: [1440] })
  await upload(csv('Hotel am Schlosspark,unifi-13,default'))
  await page.getByRole('button', { name: 'Add 300 sites' }).click()
  await page.getByText('1–50 of 300').waitFor()
  // Less load for the machine: only one site has to be compared in this test.
  await app.db.query(`update sites set synced_at = now(), next_sync_at = now() + interval '1 day'`)
  const failing = await siteNamed('Hotel am Schlosspark')
  await syncSite(app.context, failing)

  await page.reload()
  await page.getByText('unifi-13 rejects the sign-in').waitFor()
  await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('Hotel am Schlosspark')
  await expectAccessible(page, 'sites list')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('searchbox', { name: 'Search 300 sites' }).fill('schloss')
  await page.getByText('1–1 of 1').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('schloss')
  await page.getByRole('link', { name: 'Hotel am Schlosspark' }).click()
  await line(page, 'sign_in').getByRole('img', { name: 'failed' }).waitFor()
  await expectAccessible(page, 'site refused')
  await page.setViewportSize({ width: 1440, height: 900 })
  await line(page, 'sign_in').getByPlaceholder('New password').fill(simulator.login.password)
  await page.getByRole('button', { name: 'Save and test' }).click()

  await page.getByText('The connection works.').waitFor()
  await page.getByText('Reachable', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.getByText('1–50 of 300').waitFor()
  await expect.poll(() => page.getByText('unifi-13 rejects the sign-in').count()).toBe(0)
  const bodies = await app.db.query<{ row: string }>('select row_to_json(audit)::text as row from audit')
  expect(JSON.stringify(bodies.rows)).not.toContain(simulator.login.password)
})

long('a deactivation names the keys, webhooks and people that are limited to the site', async () => {
  const site = await seedSite(app.db, { name: 'Seehotel Lindenhof' })
  await seedKey(app.db, { name: 'Check-in (PMS)', siteIds: [site], scope: 'write' })
  await seedKey(app.db, { name: 'Reports' })
  const webhook = await seedWebhook(app.db, { siteIds: [site] })
  await app.db.query(`update webhooks set name = 'Slack #reception' where id = $1`, [webhook])
  await seedPerson(app.db, { name: 'Ida Desk', siteIds: [site] })
  await seedVoucher(app.db, site)
  const page = await openAs(administrator)
  await page.goto(`/sites/${site}`)
  const refused = { status: 429, json: { error: 'rate_limited', message: 'Too many requests' } }
  await page.route('**/effects', (route) => route.fulfill(refused), { times: 1 })
  await page.getByRole('button', { name: 'Deactivate…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Deactivate Seehotel Lindenhof?' })
  await dialog.getByRole('alert').waitFor()
  await expect.poll(() => dialog.getByRole('button', { name: 'Deactivate site' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('2 API keys can no longer create vouchers here (404)').waitFor()

  for (const named of [
    'Check-in (PMS), 1 for all sites',
    'Slack #reception',
    'Ida Desk, 1 for all sites',
    '1 voucher stays valid',
  ])
    await dialog.getByText(named).waitFor()
  await expectAccessible(page, 'site deactivate', { widths: [1440] })
  await dialog.getByRole('button', { name: 'Deactivate site' }).click()
  await page.getByText('This site is inactive').waitFor()
  await page.getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('button', { name: 'Remove site' }).click()
  await page.getByText('The site cannot be removed: vouchers, webhooks, keys, staff still refer to it.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('button', { name: 'Deactivate…' }).waitFor()
})

long('a changed certificate is compared with the old one, and is trusted only if the key is entered', async () => {
  const [old, renewed] = [await startSimulator('--https'), await startSimulator('--https')]
  const controller = await recordController('unifi-34', old)
  const page = await openAs(administrator)
  await page.goto(`/sites/controllers/${controller}`)
  await page.getByText('The connection works.').waitFor()
  await page.getByRole('button', { name: 'Add 1 site' }).click()
  await page.getByText('1 site added').waitFor()
  const site = await siteNamed('Default')
  await app.db.query('update controllers set address = $2 where id = $1', [controller, renewed.url])
  await syncSite(app.context, site)

  await page.goto('/sites')
  await page.getByText('unifi-34 shows an untrusted certificate').waitFor()
  await page.getByRole('link', { name: 'Compare: unifi-34' }).click()
  await page.getByText('Trusted until now').waitFor()
  for (const { fingerprint } of [old, renewed])
    await page.getByRole('img', { name: `SHA-256 fingerprint ${fingerprint}` }).waitFor()
  await expectAccessible(page, 'site certificate')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Trust this certificate' }).click()
  await line(page, 'sign_in').getByPlaceholder('New API key').fill(renewed.apiKey)
  await page.getByRole('button', { name: 'Save and test' }).click()

  await page.getByText('The connection works.').waitFor()
  await page.getByText('Reachable', { exact: true }).waitFor()
})

long(
  'a new controller is recorded only with values that passed the test; a trusted certificate is for one address',
  async () => {
    const [first, second] = [await startSimulator('--https'), await startSimulator('--https')]
    await recordController('unifi-50', first)
    const page = await openAs(administrator)
    await page.goto('/sites/add')
    await page.getByPlaceholder('Choose a controller').click()
    await page.getByRole('option', { name: 'New controller' }).click()
    const address = page.getByLabel('Address')
    const add = page.getByRole('button', { name: 'Add controller' })
    const trust = page.getByRole('button', { name: 'Trust this certificate' })
    const shows = ({ fingerprint }: Simulator) =>
      page.getByRole('img', { name: `SHA-256 fingerprint ${fingerprint}` }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Haus am See')
    await page.getByLabel('API key', { exact: true }).last().fill(first.apiKey)
    await address.fill(first.url)
    await address.blur()
    await shows(first)
    await trust.click()
    await add.waitFor()

    await address.fill(second.url)
    await address.blur()
    await shows(second)
    expect(await add.count()).toBe(0)
    expect(await second.requests()).toEqual([])
    await page.getByLabel('API key', { exact: true }).last().fill(second.apiKey)
    await trust.click()
    await add.click()
    await page.getByText('Sites on the controller').waitFor()

    const { rows } = await app.db.query('select address, certificate_pin from controllers where name = $1', [
      'Haus am See',
    ])
    expect(rows).toEqual([{ address: second.url, certificate_pin: parseFingerprint(second.fingerprint as string) }])
  },
)

long('a key that could not be tested is not stored by the next test', async () => {
  const simulator = await startSimulator()
  const controller = await recordController('unifi-51', simulator)
  const stored = { db: app.db, keyring: testKeyring, drivers: testDrivers }
  await setController(stored, testActor, 'unifi-51', { secret: 'changed' })
  const page = await openAs(administrator)
  await page.goto(`/sites/controllers/${controller}`)
  const key = line(page, 'sign_in').getByPlaceholder('New API key')
  await key.waitFor()
  await page.getByText('none, the connection is not encrypted').waitFor()
  await page.route('**/controllers/check', (route) => route.abort(), { times: 1 })
  await key.fill('mistyped')
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.getByRole('alert').waitFor()

  const changes: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()))
  await setController(stored, testActor, 'unifi-51', { secret: simulator.apiKey })
  await page.getByRole('button', { name: 'Test again' }).click()
  await page.getByText('The connection works.').waitFor()
  await page.getByRole('button', { name: 'Add 1 site' }).waitFor()
  expect(changes).toEqual([])
})

test('a manager of two sites sees these two with their state, and no administration of controllers', async () => {
  const siteIds = [await seedSite(app.db, { name: 'Haus A' }), await seedSite(app.db, { name: 'Haus B' })]
  const other = await seedSite(app.db, { name: 'Haus C' })
  const page = await openAs(await seedPerson(app.db, { role: 'manager', siteIds }))
  await page.goto('/sites')
  await page.getByText('1–2 of 2').waitFor()

  expect(await page.getByRole('button', { name: 'Import CSV' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Add site' }).count()).toBe(0)
  expect(await page.getByText('Haus C').count()).toBe(0)
  await page.getByRole('link', { name: 'Haus A' }).click()
  await page.getByText('Wi-Fi and slip').waitFor()
  expect(await page.getByText('Connection test').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Deactivate…' }).count()).toBe(0)
  if (isLong) await expectAccessible(page, 'site of a manager')
  await page.goto(`/sites/${other}`)
  await page.getByRole('alert').waitFor()
  await page.goto('/sites/add')
  await page.getByText('You are not allowed').or(page.getByRole('alert')).first().waitFor()
})
