import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openSetup } from '#domain/staff/setup.ts'
import { listTemplates } from '#domain/templates/templates.queries.ts'
import type { TestApp } from '#test/app.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { testKeyring } from '#test/environment.ts'
import { isLong, size } from '#test/measuring.ts'
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
  done: 'Everything is ready',
  toDesk: 'Go to the desk',
  desk: 'New voucher',
}
const german: typeof english = {
  token: 'Einrichtungs-Token',
  next: 'Weiter',
  administrator: 'Administrator',
  email: 'E-Mail',
  password: 'Passwort',
  done: 'Alles bereit',
  toDesk: 'Zur Ausgabe',
  desk: 'Neuer Voucher',
}

async function enterToken(page: Page, token: string, words = english): Promise<void> {
  await page.getByLabel(words.token).fill(token)
  await page.getByRole('button', { name: words.next }).click()
  await page.getByRole('heading', { name: words.administrator }).waitFor()
}

async function enterAdministrator(page: Page, password: string, words = english): Promise<void> {
  await page.getByLabel('Name').fill('Katrin Vogt')
  await page.getByLabel(words.email).fill('k.vogt@provider.example')
  await page.getByLabel(words.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: words.next }).click()
}

const languages = [
  ['en-GB', english, ['1 day', '1 week', 'Meeting, 4 hours']],
  ['de-DE', german, ['1 Tag', '1 Woche', 'Besprechung, 4 Stunden']],
] as const

test.each(languages.slice(0, size(1, 2)))(
  'a new service leads from the setup token to the desk, with three templates, in %s',
  async (locale, words, names) => {
    const app = await startWebApp()
    const page = await openPage(browser, { url: app.url, locale })
    await page.goto('/')
    await page.waitForURL('**/first-run')
    await page.getByLabel(words.token).waitFor()
    await expectAccessible(page, `first-run token.${locale}`)
    await expectKeyboardReachesAll(page)
    await enterToken(page, await setupToken(app), words)
    await expectAccessible(page, `first-run administrator.${locale}`)
    await expectKeyboardReachesAll(page)
    await enterAdministrator(page, 'correct horse battery staple', words)
    await page.getByRole('heading', { name: words.done }).waitFor()
    await expectAccessible(page, `first-run done.${locale}`)
    await page.keyboard.press('Enter') // the link to the desk has the focus
    await page.waitForURL('**/desk')
    await page.getByRole('heading', { name: words.desk }).waitFor()

    expect((await listTemplates(app.db)).map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    await page.goto('/first-run')
    await page.waitForURL('**/desk')
  },
)

long(
  'a wrong token, a missing one and a common password are said at their field, and what was typed stays',
  async () => {
    const app = await startWebApp()
    const page = await openPage(browser, { url: app.url })
    await page.goto('/first-run')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Enter the token from the log.').waitFor()
    await enterToken(page, 'wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Enter a valid e-mail address.').waitFor()
    await expectAccessible(page, 'first-run empty')
    await enterAdministrator(page, 'passwordpassword')
    await page.getByText('The token is wrong or no longer valid. The log has the current one.').waitFor()
    await expectAccessible(page, 'first-run token wrong')
    await enterToken(page, ` ${await setupToken(app)} `)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This password is easy to guess.').waitFor()
    await expectAccessible(page, 'first-run password common')

    expect(await page.getByLabel('Name').inputValue()).toBe('Katrin Vogt')
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByLabel('Setup token').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await enterAdministrator(page, 'correct horse battery staple')
    await page.getByRole('heading', { name: 'Everything is ready' }).waitFor()
  },
)

long('when somebody else was faster, the page says so', async () => {
  const app = await startWebApp()
  const token = await setupToken(app)
  const [page, other] = [await openPage(browser, { url: app.url }), await openPage(browser, { url: app.url })]
  for (const one of [page, other]) {
    await one.goto('/first-run')
    await enterToken(one, token)
  }
  await enterAdministrator(other, 'correct horse battery staple')
  await other.getByRole('heading', { name: 'Everything is ready' }).waitFor()
  await enterAdministrator(page, 'correct horse battery staple')

  await page.getByText('There is an administrator already. Please sign in.').waitFor()
  await expectAccessible(page, 'first-run done by another')
  await page.reload()
  await page.waitForURL('**/sign-in?next=%2Fdesk')
})

long('without TLS a new service does not take a password', async () => {
  const { url } = await startWebApp()
  const page = await openPage(browser, { url: `http://vouchers.test:${new URL(url).port}` })
  await page.goto('/')

  await page.getByRole('heading', { name: 'You cannot sign in here' }).waitFor()
})
