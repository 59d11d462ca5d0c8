import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { openSetup } from '#domain/people/setup.ts'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { listTemplates } from '#domain/templates/templates.queries.ts'
import type { TestApp } from '#test/app.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'

const browser = await startBrowser('--host-resolver-rules=MAP vouchers.test 127.0.0.1')
const long = test.runIf(isLong)

/** The token that a new service writes to its log. */
async function setupToken({ db }: TestApp): Promise<string> {
  const setup = await openSetup(db, { keyring: testKeyring, given: undefined })
  return setup?.token as string
}

const english = {
  token: 'Setup token',
  next: 'Continue',
  administrator: 'Administrator',
  email: 'E-mail',
  password: 'Password',
}
async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByLabel(english.token).fill(token)
  await page.getByRole('button', { name: english.next }).click()
  await page.getByRole('heading', { name: english.administrator }).waitFor()
}

async function enterAdministrator(page: Page, password: string): Promise<void> {
  await page.getByLabel('Name').fill('Katrin Vogt')
  await page.getByLabel(english.email).fill('k.vogt@provider.example')
  await page.getByLabel(english.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: english.next }).click()
}

test('a new service leads from the setup token to the first voucher on a controller with its own certificate', async () => {
  const app = await startWebApp()
  const controller = await startSimulator('--https', '--site', 'default=Default', '--login-limit', '0')
  const page = await openPage(browser, { url: app.url, timeZone: 'Europe/Vienna' })
  await page.goto('/')
  await atUrl(page, '/first-run')
  await page.getByLabel(english.token).waitFor()
  if (isLong) await expectAccessible(page, 'first-run token')
  await page.getByLabel(english.token).fill('wrong')
  await page.getByRole('button', { name: english.next }).click()
  await page.getByText('The token is wrong, or a newer one has replaced it.').waitFor()
  await enterToken(page, ` ${await setupToken(app)} `)
  await page.reload()
  await heading(page, english.administrator)
  if (isLong) await expectAccessible(page, 'first-run administrator')
  await enterAdministrator(page, 'correct horse battery staple')

  await heading(page, 'Connect a controller')
  await expectKeyboardReachesAll(page)
  await page.getByText('User name and password').click()
  await page.getByLabel('Address').fill(controller.url)
  await page.getByLabel('User name', { exact: true }).fill(controller.login.username)
  await page.getByLabel('Password', { exact: true }).fill(controller.login.password)
  await page.getByText('The certificate is self-signed').waitFor()
  if (isLong) await expectAccessible(page, 'first-run certificate')
  expect(await shownFingerprint(page)).toBe(controller.fingerprint)
  expect(await controller.requests()).toEqual([])
  await page.getByRole('button', { name: 'Trust this certificate' }).click()
  await page.getByText('The connection works.').waitFor()
  if (isLong) await expectAccessible(page, 'first-run controller works')
  await page.getByRole('button', { name: 'Continue' }).click()

  await heading(page, 'Add sites')
  await page.getByRole('button', { name: 'Add the site' }).click()
  await page.getByText('Enter the name that guests know').waitFor()
  if (isLong) await expectAccessible(page, 'first-run sites')
  await page.getByLabel('Name of this site').fill('Hotel Goldener Adler')
  await page.getByRole('button', { name: 'Add the site' }).dblclick()

  await heading(page, 'Wi-Fi and slip')
  await page.goBack()
  expect(await page.getByLabel('Name of this site').inputValue()).toBe('Hotel Goldener Adler')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Wi-Fi name (SSID)').fill('Adler-Gast')
  await page.locator('.vs-slip-wifi', { hasText: 'Adler-Gast' }).waitFor()
  if (isLong) await expectAccessible(page, 'first-run slip')
  await page.getByRole('button', { name: 'Continue' }).click()

  await heading(page, 'Create the first voucher')
  await page.getByRole('button', { name: 'Create the first voucher' }).click()
  await heading(page, 'It works')
  await expectAccessible(page, 'first-run works')
  const code = await page.locator('.code').innerText()
  await page.locator('.vs-slip-code', { hasText: code }).waitFor()
  expect(await page.getByRole('link', { name: 'Add logo' }).getAttribute('href')).toBe('/settings?tab=appearance')
  const { rows: facts } = await app.db.query('select name, time_zone, guest_languages from sites')
  expect(facts).toEqual([{ name: 'Hotel Goldener Adler', time_zone: 'Europe/Vienna', guest_languages: ['en'] }])
  await page.reload()
  await heading(page, 'It works')
  await page.getByRole('link', { name: 'Go to the desk', exact: true }).click()
  await page.getByLabel('For whom?').waitFor()

  expect((await controller.vouchers()).map((voucher) => voucher.code)).toEqual([code.replace('-', '')])
  expect((await listTemplates(app.db)).map(({ name }) => name).toSorted()).toEqual([
    '1 day',
    '1 week',
    'Meeting, 4 hours',
  ])
  const other = await openPage(browser, { url: app.url })
  await other.goto('/first-run')
  await atUrl(other, '/sign-in?next=%2Ffirst-run')
  await other.getByLabel(english.email).fill('k.vogt@provider.example')
  await other.getByLabel(english.password, { exact: true }).fill('correct horse battery staple')
  await other.keyboard.press('Enter')
  await other.locator('.code', { hasText: code }).waitFor()
})

/** The last step of the setup: everything is set up, and there is no voucher yet. */
async function openVoucherStep() {
  const app = await startWebApp()
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
  await setGuestInfo(app.context, testActor, site, { wifiName: 'Adler-Gast' })
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/first-run')
  await heading(page, 'Create the first voucher')
  return { app, controller, page, session }
}

/**
 * Cuts the connection of the first creation, and holds its request as a slow proxy does. Returns a promise of the function
 * that lets the request arrive.
 */
async function holdFirstCreation({ app, page, session }: { app: TestApp; page: Page; session: string }) {
  const held = Promise.withResolvers<() => ReturnType<TestApp['call']>>()
  let count = 0
  await page.route('**/api/v2/vouchers', async (route) => {
    const request = route.request()
    if (request.method() !== 'POST' || count++ > 0) return route.fallback()
    const headers = { 'idempotency-key': request.headers()['idempotency-key'] ?? '' }
    const body = request.postData() ?? ''
    held.resolve(() => app.call('/api/v2/vouchers', { method: 'POST', session, headers, body }))
    await route.abort('connectionreset')
  })
  return { held: held.promise }
}

/** Presses the button whenever the page offers it, until the page shows a voucher. */
async function pressUntilItWorks(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^(Create the first voucher|Try again)$/ })
  await vi.waitFor(
    async () => {
      if (await button.isEnabled({ timeout: 100 }).catch(() => false)) await button.click({ timeout: 1_000 })
      await page.getByRole('heading', { name: 'It works' }).waitFor({ timeout: 500 })
    },
    { timeout: 60_000 },
  )
}

const afterCuts = [
  ['', async () => {}],
  [' and the page is loaded again', (page: Page) => page.reload()],
] as const

test.each(isLong ? afterCuts : afterCuts.slice(1))(
  'when the connection of the first creation is cut%s, there is one voucher',
  async (_, afterCut) => {
    const { app, controller, page, session } = await openVoucherStep()
    const { held } = await holdFirstCreation({ app, page, session })
    await page.getByRole('button', { name: 'Create the first voucher' }).click()
    const arrive = await held
    await afterCut(page)

    await pressUntilItWorks(page)
    const code = await page.locator('.code').innerText()
    await arrive()

    expect((await controller.vouchers()).map((voucher) => voucher.code)).toEqual([code.replace('-', '')])
  },
)

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

/** The page shows groups of four bytes. */
async function shownFingerprint(page: Page): Promise<string> {
  const groups = await page.locator('[data-layer=certificate] p span').allInnerTexts()
  return groups.join(':')
}

long('when somebody else was faster, the page says so', async () => {
  const app = await startWebApp()
  const token = await setupToken(app)
  const [page, other] = [await openPage(browser, { url: app.url }), await openPage(browser, { url: app.url })]
  for (const one of [page, other]) {
    await one.goto('/first-run')
    await enterToken(one, token)
  }
  await enterAdministrator(other, 'correct horse battery staple')
  await heading(other, 'Connect a controller')
  await enterAdministrator(page, 'correct horse battery staple')

  await page.getByText('There is an administrator already. Please sign in.').waitFor()
  await expectAccessible(page, 'first-run done by another')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await atUrl(page, '/sign-in?next=%2Ffirst-run%3Fstep%3Dadministrator')
  await page.getByLabel(english.email).fill('k.vogt@provider.example')
  await page.getByLabel(english.password, { exact: true }).fill('correct horse battery staple')
  await page.keyboard.press('Enter')
  await heading(page, 'Connect a controller')
})

long('without TLS a new service does not accept a password', async () => {
  const { url } = await startWebApp()
  const page = await openPage(browser, { url: `http://vouchers.test:${new URL(url).port}` })
  await page.goto('/')

  await page.getByRole('heading', { name: 'You cannot sign in here' }).waitFor()
})
