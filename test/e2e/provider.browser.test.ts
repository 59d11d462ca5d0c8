import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { isLong } from '#test/measuring.ts'
import type { Account } from '#test/network/oidc-provider.ts'
import { openPage } from '#test/web.ts'
import { password, startProviderApp } from './provider-app.ts'
import { wordsOf } from './words.ts'

const { app, url, provider, admin } = await startProviderApp()
const browser = await startBrowser()
const long = test.runIf(isLong)
const { t } = wordsOf('en')
const button = (page: Page) => page.getByRole('link', { name: 'Sign in with Adler-Konto' })

/** Signs in with the company's account, like a person on another computer. */
async function signInAs(sub: string): Promise<Page> {
  provider.current = sub
  const page = await openPage(browser, { url })
  await page.goto('/vouchers')
  await button(page).click()
  return page
}

test('a new person signs in by the provider with the rights of the groups, and loses them with the group', async () => {
  const account = provider.accounts[0] as Account
  const page = await signInAs('anna')
  await atUrl(page, `${url}/vouchers`)
  await page.getByRole('link', { name: 'Desk' }).waitFor()
  const person = async () => {
    const { rows } = await app.db.query(`select role, rights_from_groups from staff where name = 'Anna Weber'`)
    return rows[0]
  }

  expect(await person()).toEqual({ role: 'desk', rights_from_groups: true })
  expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
  await page.getByText('Hotel Goldener Adler').first().waitFor()

  account.groups = ['haustechnik']
  await signInAs('anna').then((other) => other.getByRole('link', { name: 'Settings' }).waitFor())
  expect(await person()).toEqual({ role: 'manager', rights_from_groups: true })

  account.groups = ['alle']
  const rejected = await signInAs('anna')
  await rejected.getByRole('alert').waitFor()
  await expect
    .poll(() => rejected.getByRole('alert').innerText())
    .toContain('At Adler-Konto you are in no group that has a role')
  await page.reload()
  await atUrl(page, '/sign-in?next=%2Fvouchers') // the earlier session ended too
  account.groups = ['empfang-adler', 'alle']
})

test('an administrator tries groups out and saves them', async () => {
  await signInAs('anna').then((page) => atUrl(page, '/vouchers'))
  const page = await openPage(browser, { url, session: admin.session })
  await page.route('**/api/v2/settings/second-factor', (route) => route.fulfill({ json: noFactors }))
  await page.goto('/settings?tab=sign-in')
  await page.getByText('Adler-Konto').first().waitFor()
  await page.getByLabel('Try with').fill('anna.weber@adler.example')
  await page.keyboard.press('Enter')
  await page.getByText('Anna Weber would become: Desk, Hotel Goldener Adler (empfang-adler)').waitFor()

  await page.getByRole('combobox', { name: 'Role of empfang-adler' }).click()
  await page.getByRole('option', { name: 'Manager' }).click()
  await page.getByText('1 of 1 people gets other rights at the next sign-in: Anna Weber, Desk → Manager').waitFor()
  await page.getByText('Anna Weber would become: Manager').waitFor()
  await page.getByText('not saved').waitFor()
  await expectAccessible(page, 'sign-in settings')
  await page.getByRole('button', { name: 'Save groups' }).click()
  await page.getByText('Groups saved').waitFor()
  await expect.poll(() => page.getByText('not saved').count()).toBe(0)
  await signInAs('anna').then((other) => other.getByRole('link', { name: 'Settings' }).waitFor())
})

long('a new sign-in by the provider that fails says why in the dialog, and another try works', async () => {
  const page = await signInAs('katrin')
  await atUrl(page, '/vouchers')
  await app.db.query(`update staff_sessions set authenticated_at = now() - interval '16 minutes'`)
  await page.goto('/keys')
  await page.getByRole('button', { name: t('keys-page.new') }).click()
  await page.getByRole('textbox', { name: t('keys-page.name') }).fill('Cash desk')
  await page.getByRole('button', { name: t('keys-page.create') }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  provider.current = 'anna'
  await dialog.getByRole('button', { name: 'Sign in with the company account' }).click()
  await dialog.getByText('You signed in to Adler-Konto with another account.').waitFor()
  await expectAccessible(page, 'sign in again failed')
  provider.current = null
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('The sign-in was cancelled or rejected at Adler-Konto.').waitFor()
  await expect.poll(() => page.context().pages().length).toBe(1)
  provider.current = 'katrin'
  await dialog.getByRole('button', { name: 'Try again' }).click()

  await page.getByRole('heading', { name: t('keys-page.created-title', { name: 'Cash desk' }) }).waitFor()
})

long('while the provider is away, the page says so, and the password works', async () => {
  const other = await startProviderApp() // the first one has read where the provider's sign-in page is
  other.provider.isAway = true
  const page = await openPage(browser, { url: other.url })
  await page.goto('/sign-in')
  await button(page).click()
  await page.getByText('Adler-Konto does not answer. Sign in with your password').waitFor()
  await expectAccessible(page, 'sign-in provider away')
  await expectKeyboardReachesAll(page)
  await page.getByLabel('E-mail').fill(other.admin.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await atUrl(page, '/desk')
})

const noFactors = {
  roles: Object.fromEntries(
    ['desk', 'manager', 'admin'].map((role) => [
      role,
      { required: false, people: 0, with_factor: 0, by_provider: 0, without_factor: [] },
    ]),
  ),
  own_factor: true,
}
