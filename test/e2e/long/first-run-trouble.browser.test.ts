import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { readGuestInfo, setGuestInfo } from '#domain/sites/guest-info.ts'
import { setController } from '#domain/sites/set-controller.ts'
import { listSites } from '#domain/sites/sites.queries.ts'
import type { TestApp } from '#test/app.ts'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure } from './desk-for-states.ts'

const browser = await startBrowser()

/** Opens the setup of a service that already has its first administrator. */
async function openSetup(app: TestApp, language: Language = 'en'): Promise<Page> {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const page = await openPage(browser, { url: app.url, session, locale: language })
  await page.goto('/first-run')
  return page
}

test('a hotspot operator enters their own site, and the setup continues with it', async () => {
  const app = await startWebApp()
  const sites = ['--site', 'default=Hotel', '--site', 'branch=Filiale']
  const operator = ['--flavour', 'self-hosted', ...sites, '--hotspot-operator', 'branch']
  const controller = await startSimulator(...operator)
  const page = await openSetup(app)
  await page.getByText('User name and password', { exact: true }).click()
  await page.getByLabel('Address').fill(controller.url)
  await page.getByLabel('User name', { exact: true }).fill(controller.login.username)
  await page.getByLabel('Password', { exact: true }).fill(controller.login.password)
  await page.getByLabel('Site on the controller').fill('branch')
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Add sites' }).waitFor()
  await page.getByLabel('Name of this site').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Wi-Fi and slip' }).waitFor()

  expect((await listSites(app.db)).map(({ name, controllerSite }) => [name, controllerSite])).toEqual([
    ['Filiale', 'branch'],
  ])
})

const languages: Language[] = ['en', 'de']

test.each(languages)(
  'wrong port, wrong password and wrong site are shown in their line, each with its remedy, in %s',
  async (language) => {
    const { t } = wordsOf(language)
    const app = await startWebApp()
    const sites = ['--site', 'default=Hotel', '--site', 'branch=Filiale']
    const controller = await startSimulator('--https', '--login-limit', '0', ...sites)
    const page = await openSetup(app, language)
    const line = (layer: string) => page.locator(`[data-layer=${layer}]`)
    const testAgain = () => page.getByRole('button', { name: t('setup.test') }).click()
    const closed = await freePort()

    await page.getByText(t('controller-form.unifi-classic'), { exact: true }).click()
    await page.getByLabel(t('controller-form.address')).fill(`https://127.0.0.1:${closed}`)
    await page.getByLabel(t('controller-form.username'), { exact: true }).fill(controller.login.username)
    await line('connection').getByText(String(closed)).waitFor()
    await expectAccessible(page, `first-run wrong port.${language}`)
    await line('connection').getByRole('textbox').fill(new URL(controller.url).port)
    await page.getByRole('button', { name: t('connection-test.use-port') }).click()
    await page.getByRole('button', { name: t('connection-test.trust') }).click()
    await line('certificate').getByText(t('connection-test.pinned')).waitFor()

    await page.getByLabel(t('controller-form.password'), { exact: true }).fill('wrong')
    await testAgain()
    await line('sign_in').getByLabel(t('connection-test.new-password'), { exact: true }).waitFor()
    await expectAccessible(page, `first-run wrong password.${language}`)
    await page.getByLabel(t('controller-form.site')).fill('nowhere')
    await line('sign_in').getByLabel(t('connection-test.new-password'), { exact: true }).fill(controller.login.password)
    await line('sign_in')
      .getByRole('button', { name: t('connection-test.test'), exact: true })
      .click()
    await line('site')
      .getByText(/nowhere.*branch \(Filiale\)/)
      .waitFor()
    await expectAccessible(page, `first-run wrong site.${language}`)

    await page.getByLabel(t('controller-form.site')).fill('')
    await testAgain()
    await page.getByText(t('connection-test.all-ok')).waitFor()
    expect(await page.getByLabel(t('controller-form.password'), { exact: true }).inputValue()).toBe(
      controller.login.password,
    )
    expect((await controller.signIns()).map(({ result }) => result)).toEqual(['wrong-credentials', 'ok', 'ok'])
  },
)

test('setup is left after each step and continues there, also after the password was changed on the controller', async () => {
  const app = await startWebApp()
  const sites = ['--site', 'default=Hotel', '--site', 'branch=Filiale']
  const controller = await startSimulator(...sites)
  const page = await openSetup(app)
  const leaveAndResume = async () => {
    await page.goto('/desk')
    await page.goto('/first-run')
  }
  await page.locator('input[type=password]').fill(controller.apiKey)
  await page.getByLabel('Address').fill(controller.url)
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Add sites' }).waitFor()

  const { rows } = await app.db.query('select name, driver from controllers')
  expect(rows).toEqual([{ name: '127.0.0.1', driver: 'unifi-integration' }])
  await page.goto('/desk')
  await page.getByRole('link', { name: 'Set up now' }).click()
  await page.getByRole('checkbox', { name: 'All 2 sites', checked: true }).waitFor()
  await expectAccessible(page, 'first-run two sites')

  const stored = { db: app.db, keyring: testKeyring, drivers: testDrivers }
  await setController(stored, testActor, '127.0.0.1', { secret: 'changed' })
  await page.reload()
  await page.getByText('The controller rejected the API key').waitFor()
  await expectAccessible(page, 'first-run key changed')
  await page.getByLabel('New API key', { exact: true }).fill(controller.apiKey)
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.getByRole('button', { name: 'Add all 2 sites' }).click()
  await page.getByRole('heading', { name: 'Wi-Fi and slip' }).waitFor()

  await leaveAndResume()
  await page.getByRole('heading', { name: 'Wi-Fi and slip' }).waitFor()
  await page.getByLabel('Wi-Fi name (SSID)').fill('Adler-Gast')
  await page.getByRole('checkbox', { name: 'Use this for all 2 sites', checked: true }).waitFor()
  const saved: string[] = []
  await page.route('**/guest-info', (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    saved.push(route.request().url())
    return saved.length === 2 ? route.abort() : route.continue()
  })
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('1 of 2 saved. “Continue” saves the others.').waitFor()
  await expectAccessible(page, 'first-run slip saved partly')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Create the first voucher' }).waitFor()
  expect(saved).toEqual([saved[0], saved[1], saved[1]])
  expect(new Set(saved).size).toBe(2)
  await leaveAndResume()
  await page.getByRole('button', { name: 'Create the first voucher' }).click()
  await page.getByRole('heading', { name: 'It works' }).waitFor()

  expect((await listSites(app.db)).map(({ name }) => name).toSorted()).toEqual(['Filiale', 'Hotel'])
  for (const { id } of await listSites(app.db))
    expect(await readGuestInfo(app.context, testActor, id)).toMatchObject({ wifiName: 'Adler-Gast' })
  expect(await controller.vouchers()).toHaveLength(1)
  await leaveAndResume()
  await page.getByRole('heading', { name: 'It works' }).waitFor()
})

test.each(languages)('the first voucher: none, too many requests and finding out, in %s', async (language) => {
  const { t } = wordsOf(language)
  const app = await startWebApp()
  const site = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
  await setGuestInfo(app.context, testActor, site, { wifiName: 'Adler-Gast' })
  const page = await openSetup(app, language)
  const show = async (failed: Parameters<typeof answer>[2], words: string) => {
    await answer(page, '/vouchers', failed, 'POST')
    await page.getByRole('button', { name: t('setup.create') }).click()
    await page.getByText(words).first().waitFor()
  }
  const startAgain = async () => {
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
  }

  await show(failure(503, 'controller_unreachable', { 'voucher-outcome': 'none' }), t('desk.none'))
  await page.getByRole('button', { name: t('actions.try-again') }).waitFor()
  await expectUsable(page, `first-run no voucher.${language}`)
  await startAgain()
  await show(failure(429, 'rate_limited', { 'retry-after': '90' }), t('desk.limited'))
  await expectUsable(page, `first-run too many requests.${language}`)
  await startAgain()
  await answer(page, '/vouchers/outcome', { json: { outcome: 'running', voucher: null } })
  await show(failure(504, 'outcome_unknown', { 'voucher-outcome': 'unknown' }), t('desk.unknown'))
  expect(await page.getByText(t('setup.leave')).count()).toBe(0)
  await expectUsable(page, `first-run finding out.${language}`)
  await page.reload()
  await page.getByText(t('desk.unknown')).first().waitFor()
})
