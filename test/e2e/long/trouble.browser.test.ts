import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const password = 'correct horse battery staple'
const { url, db } = await startWebApp()
const browser = await startBrowser()
await seedPerson(db, { role: 'admin' })
const sites = [await seedSite(db, { name: 'Hotel Goldener Adler' }), await seedSite(db, { name: 'Pension Alpenblick' })]

type Visitor = { role?: 'desk' | 'admin'; siteIds?: number[]; locale?: string }

async function visit(path: string, { locale = 'en-GB', ...person }: Visitor = {}): Promise<Page & { email: string }> {
  const { session, email } = await seedPerson(db, { name: 'Anna Weber', password, ...person })
  const page = await openPage(browser, { url, session, locale })
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return Object.assign(page, { email })
}

test.each([
  ['en-GB', 'Please sign in again', 'Name', 'Save name', 'Password', 'Sign in'],
  ['de-DE', 'Bitte melden Sie sich wieder an', 'Name', 'Name speichern', 'Passwort', 'Anmelden'],
])(
  'a session that ended elsewhere asks for the password over the page, which keeps what was typed, in %s',
  async (locale, title, name, save, label, signIn) => {
    const page = await visit('/me', { locale })
    await page.getByLabel(name, { exact: true }).fill('Anna Berger')
    await db.query('delete from staff_sessions')
    await page.getByRole('button', { name: save }).click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    await expectAccessible(page, `session ended.${locale}`)
    await expectKeyboardReachesAll(page)
    await page.keyboard.press('Escape')
    await dialog.getByLabel(label, { exact: true }).fill('wrong')
    await dialog.getByRole('button', { name: signIn }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(label, { exact: true }).fill(password)
    await dialog.getByRole('button', { name: signIn }).click()
    await dialog.waitFor({ state: 'hidden' })

    expect(await page.getByLabel(name, { exact: true }).inputValue()).toBe('Anna Berger')
    expect(new URL(page.url()).pathname).toBe('/me')
    await page.getByRole('button', { name: save }).click()
    await expect
      .poll(() => page.getByRole('alert').allInnerTexts())
      .toContainEqual(expect.stringMatching(/Saved|Gespeichert/))
  },
)

test('somebody else who signs in in the dialog over the page does not see the page', async () => {
  const page = await visit('/me')
  await page.getByLabel('Name').fill('Anna Berger')
  const other = await seedPerson(db, { name: 'Ben', password })
  await db.query('delete from staff_sessions')
  await page.getByRole('button', { name: 'Save name' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill(other.email)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')

  await atUrl(page, '/desk')
})

test('somebody else who signs in in another tab does not see the page either', async () => {
  const page = await visit('/me')
  const other = await seedPerson(db, { name: 'Ben' })
  await page.context().addCookies([{ name: 'voucher-session', value: other.session, url }])
  await page.getByText('Dark', { exact: true }).click()

  await atUrl(page, '/desk')
})

test('without an answer of the service, a form keeps what was typed and works later', async () => {
  const page = await visit('/me')
  await page.getByLabel('Name').fill('Anna Berger')
  await page.route('**/api/**', (route) => route.abort())
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('alert').getByText('No connection to the service').waitFor()
  await expectAccessible(page, 'me unreachable')
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Save name' }).click()

  await page.getByRole('alert').getByText('Saved').waitFor()
})

test.each([
  ['en-GB', 'You are not allowed to do this'],
  ['de-DE', 'Dafür fehlt Ihnen die Berechtigung'],
])('a missing right is shown with the id of the request, in %s', async (locale, title) => {
  const { session } = await seedPerson(db, { name: 'Anna Weber' })
  const page = await openPage(browser, { url, session, locale })
  // This page needs only the role desk, so its request gets the answer of an operation for administrators.
  await page.route('**/api/v2/me/sessions', async (route) =>
    route.fulfill({ response: await route.fetch({ url: `${url}/api/v2/controllers` }) }),
  )
  await page.goto('/me')
  await page.getByRole('alert').getByText(title).waitFor()

  expect(await page.getByRole('alert').locator('code').innerText()).toMatch(/^[\w-]{20,}$/)
  await expectAccessible(page, `no right.${locale}`)
  await expectKeyboardReachesAll(page)
})

test('a person with one site sees its name without a choice, one with several can choose', async () => {
  const one = await visit('/desk', { siteIds: sites.slice(0, 1) })
  await one.getByText('Hotel Goldener Adler').first().waitFor()
  expect(await one.getByRole('button', { name: /Hotel Goldener Adler/ }).count()).toBe(0)
  await expectAccessible(one, 'shell one site')

  const several = await visit('/me', { siteIds: sites })
  await several.getByRole('button', { name: /All 2 sites/ }).click()
  await several.getByRole('option', { name: 'Pension Alpenblick' }).waitFor()
  await expectAccessible(several, 'shell sites', { widths: [1440] })
  await several.keyboard.type('alpen')
  await several.keyboard.press('Enter')
  await atUrl(several, `/me?site=${sites[1]}`)
})

test.each(['en-GB', 'de-DE'])('a person without a site sees the app, in %s', async (locale) => {
  const page = await visit('/desk', { siteIds: [], locale })

  await expectAccessible(page, `shell no site.${locale}`)
})

test('menus of the shell: account, keys, and More on a phone', async () => {
  const page = await visit('/me', { siteIds: sites.slice(0, 1) })
  await page.getByRole('button', { name: /Account and display/ }).click()
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor()
  await expectAccessible(page, 'shell account', { widths: [1440] })
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await expectAccessible(page, 'shell keys')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('dialog', { name: 'More' }).waitFor()
  await expectAccessible(page, 'shell more', { widths: [390] })
  await expectKeyboardReachesAll(page)
  await page.setViewportSize({ width: 900, height: 844 })
  await page.getByRole('button', { name: /Account and display/ }).waitFor()
  await expectAccessible(page, 'shell rail', { widths: [900] })
})
