import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { isLong, size } from '#test/measuring.ts'
import { openPage, startWebApp, withoutFirstData } from '#test/web.ts'

const password = 'correct horse battery staple'
const app = await startWebApp()
const browser = await startBrowser('--host-resolver-rules=MAP vouchers.test 127.0.0.1')
const hotel = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const long = test.runIf(isLong)

const anna = (email: string) => seedPerson(app.db, { email, password, siteIds: [hotel], name: 'Anna Weber' })

const english = { email: 'E-mail', password: 'Password', signIn: 'Sign in' }
const german = { email: 'E-Mail', password: 'Passwort', signIn: 'Anmelden' }

async function signIn(page: Page, email: string, typed = password, words = english): Promise<void> {
  await page.getByLabel(words.email).fill(email)
  await page.getByLabel(words.password, { exact: true }).fill(typed)
  await page.getByRole('button', { name: words.signIn }).click()
}

const languages = [
  ['en-GB', english, 'New voucher', 'Account and display', 'Sign out'],
  ['de-DE', german, 'Neuer Voucher', 'Konto und Anzeige', 'Abmelden'],
] as const

test.each(languages.slice(0, size(1, 2)))(
  'somebody signs in, sees the desk and signs out, in %s',
  async (locale, words, desk, account, signOut) => {
    const { email } = await anna(`anna.${locale}@adler.example`)
    const page = await openPage(browser, { url: app.url, locale })
    await page.goto('/')
    await atUrl(page, '/sign-in?next=%2Fdesk')
    await page.getByRole('heading', { name: words.signIn }).waitFor()
    await expectAccessible(page, `sign-in.${locale}`)
    await expectKeyboardReachesAll(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await signIn(page, email, password, words)
    await atUrl(page, '/desk')
    await page.getByRole('heading', { name: desk }).waitFor()

    expect(await page.title()).toBe(`${desk} · Voucher Service`)
    expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2))
    await page.getByRole('button', { name: new RegExp(account) }).click()
    await page.getByRole('button', { name: signOut }).click()
    await atUrl(page, '/sign-in')
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['voucher-theme'])
    await page.goto('/desk')
    await atUrl(page, '/sign-in?next=%2Fdesk')
  },
)

long('after a wrong password the page does not say which field was wrong, and a second attempt works', async () => {
  const { email } = await anna('anna.wrong@adler.example')
  const page = await openPage(browser, { url: app.url })
  await page.goto('/sign-in')
  await signIn(page, email, 'wrong')
  await page.getByRole('alert').waitFor()

  await expect.poll(() => page.getByRole('alert').innerText()).toBe('E-mail or password is wrong.')
  await expectAccessible(page, 'sign-in wrong')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await atUrl(page, '/desk')
})

long('an empty form says what is missing', async () => {
  const page = await openPage(browser, { url: app.url, locale: 'de' })
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Anmelden' }).click()
  await page.getByText('Geben Sie Ihr Passwort ein.').waitFor()

  expect(await page.getByLabel('E-Mail').getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page, 'sign-in empty')
})

long('after too many attempts the page counts down, and then signing in is possible again', async () => {
  const { email } = await anna('anna.many@adler.example')
  const body = JSON.stringify({ email, password: 'wrong' })
  const attempt = () =>
    app.call('/api/v2/session', {
      method: 'POST',
      body,
      headers: { origin: app.url, 'content-type': 'application/json' },
    })
  for (let i = 0; i < 20; i++) expect((await attempt()).status).toBe(401)
  const page = await openPage(browser, { url: app.url })
  await page.clock.install()
  await page.goto('/sign-in')
  await signIn(page, email)
  await page.getByText(/You can try again in 1[45] min\./).waitFor()

  expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true)
  await expectAccessible(page, 'sign-in throttled')
  await page.clock.fastForward('10:00')
  await page.getByText(/You can try again in [1-5] min\./).waitFor()
  await app.db.query(`update rate_limits set ends_at = now() - interval '1 second'`) // 15 minutes later
  await page.clock.fastForward('05:00')
  await page.getByRole('button', { name: 'Sign in', disabled: false }).click()
  await atUrl(page, '/desk')
})

long.each(['/sign-in', '/password#token'])(
  'without TLS, %s rejects passwords and says how to set up TLS',
  async (path) => {
    const { port } = new URL(app.url)
    const page = await openPage(browser, { url: `http://vouchers.test:${port}` })
    await page.goto(path)
    await page.getByRole('heading', { name: 'You cannot sign in here' }).waitFor()

    expect(await page.locator('input').count()).toBe(0)
    expect(await page.locator('pre').allInnerTexts()).toEqual([
      `caddy reverse-proxy \\\n  --from vouchers.test \\\n  --to 127.0.0.1:${port}`,
      'TRUSTED_PROXIES=127.0.0.1',
    ])
    await expectAccessible(page, `unencrypted ${path.slice(1, 8)}`)
  },
)

test.each([
  ['en-GB', 'You cannot sign in here', 'correct PUBLIC_URL in the settings'],
  ['de-DE', 'Anmelden ist hier nicht möglich', 'Korrigieren Sie PUBLIC_URL'],
] as const)('a local address leads to PUBLIC_URL if that is another address, in %s', async (locale, title, remedy) => {
  const elsewhere = await startWebApp({ PUBLIC_URL: 'https://vouchers.school.example' })
  const page = await openPage(browser, { url: elsewhere.url, locale })
  await page.goto('/first-run')
  await page.getByRole('heading', { name: title }).waitFor()

  expect(await page.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://vouchers.school.example',
  ])
  expect(await page.getByText(remedy).count()).toBe(1)
  expect(await page.locator('pre').count()).toBe(0) // no advice to set up another proxy
  await expectAccessible(page, `other address.${locale}`)
})

long('without TLS at PUBLIC_URL itself, the page does not mention localhost, because that would not help', async () => {
  const page = await openPage(browser, { url: app.url })
  await withoutFirstData(page)
  await page.route('**/api/v2/session', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, transport: 'unencrypted_refused', public_url: app.url } })
  })
  await page.goto('/sign-in')
  await page.getByText('TRUSTED_PROXIES=').waitFor()

  expect(await page.getByText('On the computer that runs the service').count()).toBe(0)
})

long('without TLS but with ALLOW_HTTP_SIGN_IN there is a warning, and signing in works', async () => {
  const allowing = await startWebApp({ ALLOW_HTTP_SIGN_IN: 'true' })
  const { email } = await seedPerson(allowing.db, { role: 'admin', password })
  const page = await openPage(browser, { url: `http://vouchers.test:${new URL(allowing.url).port}` })
  await page.goto(`/password#${'a'.repeat(43)}`)
  await page.getByText('This page is not encrypted.').waitFor()
  await page.goto('/sign-in')
  await page.getByText('This page is not encrypted. Sign in only on a network that you trust.').waitFor()
  await expectAccessible(page, 'sign-in unencrypted allowed')
  await signIn(page, email)

  await atUrl(page, '/desk')
})

long('after signing in, people get to the page that they wanted, but never to another website', async () => {
  const { email } = await anna('anna.next@adler.example')
  const page = await openPage(browser, { url: app.url })
  await page.goto('/me')
  await signIn(page, email)
  await atUrl(page, '/me')
  await page.context().clearCookies()
  await page.goto('/sign-in?next=//elsewhere.example/')
  await signIn(page, email)

  await atUrl(page, `${app.url}/desk`)
})
