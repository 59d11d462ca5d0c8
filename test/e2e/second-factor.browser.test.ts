import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { insertSetting } from '#domain/settings/settings.queries.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { codeOf } from '#test/data/second-factors.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { addVirtualAuthenticator } from './virtual-authenticator.ts'
import { wordsOf } from './words.ts'

const password = 'correct horse battery staple'
const app = await startWebApp()
const { db } = app
const url = app.url.replace('127.0.0.1', 'localhost') // browsers have no passkeys for an IP address
const browser = await startBrowser()
const { t } = wordsOf('en')
const admin = await seedPerson(db, { role: 'admin', password })
const site = await seedSite(db, { name: 'Grundschule Krefeld' })

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Account and display/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await atUrl(page, '/sign-in')
}

const requireFactorOf = (roles: string[]) => insertSetting(db, 'second_factor_roles', roles)

/** A code works once. This lets the same one work again, so that no test waits for the next one. */
const allowCodeAgain = () => db.query('update authenticator_apps set last_step = null')

test('somebody sets up an authenticator app and signs in with its code', async () => {
  const anna = await seedPerson(db, { name: 'Anna Weber', role: 'manager', siteIds: [site], password })
  const page = await openPage(browser, { url, session: anna.session })
  await page.goto('/me')
  await page.getByText('You have no second factor.').waitFor()
  await page.getByRole('button', { name: 'Set up the app' }).click()
  const secret = (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '')
  const code = await codeOf(db, secret)
  const digits = page.getByLabel('Type the six digits')
  expect(await page.evaluate('document.activeElement.autocomplete')).toBe('one-time-code')
  await digits.fill(code === '111111' ? '222222' : '111111')
  await page.getByText('This code is not right. Wait for the next one.').waitFor()
  await expect.poll(() => digits.inputValue()).toBe('')
  await digits.fill(`${code.slice(0, 3)} ${code.slice(3)}`) // as some apps show it
  await page.getByText('The app works').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Turn on the app' }).isDisabled()).toBe(true)
  await expect.poll(() => page.getByText(/^\w{4}-\w{4}$/).count()).toBe(10)
  await page.getByLabel('I have stored the codes in a safe place').check()
  if (isLong) await expectAccessible(page, 'second factor setup')
  await page.setViewportSize({ width: 1440, height: 900 })
  await expectKeyboardReachesAll(page)
  await page.getByRole('button', { name: 'Turn on the app' }).click()
  await page.getByText('10 of 10 recovery codes left').waitFor()
  await page.getByText('Your second factor is on.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Your second factor is on.')

  await allowCodeAgain()
  await signOut(page)
  await signIn(page, anna.email)
  await page.getByLabel('The six digits of your authenticator app').waitFor()
  await expectAccessible(page, 'second step')
  await expectKeyboardReachesAll(page)
  await page.reload() // the step is not lost
  await page.getByLabel('The six digits of your authenticator app').pressSequentially(await codeOf(db, secret))
  await atUrl(page, '/desk')
})

test('somebody who must have a second factor sees only their account until there is a passkey, which they sign in with', async () => {
  const mehmet = await seedPerson(db, { name: 'Mehmet Arslan', role: 'manager', siteIds: [site], password })
  const page = await openPage(browser, { url })
  await addVirtualAuthenticator(page)
  await requireFactorOf(['manager'])
  await page.goto('/desk')
  await signIn(page, mehmet.email)
  await page.getByText('Managers need a second factor. Set one up; then you can go on.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/me')
  expect(await page.getByRole('navigation').getByRole('link').count()).toBe(0)
  await page.goto('/vouchers?text=Brandt')
  await atUrl(page, '/me?next=%2Fvouchers%3Ftext%3DBrandt')
  await page.getByText('Managers need a second factor.').waitFor()
  if (isLong) await expectAccessible(page, 'second factor missing')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  expect(await page.getByLabel('Name of the passkey').inputValue()).toBe('Linux')
  await page.getByLabel('Name of the passkey').fill('Office computer')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Office computer').waitFor()
  await page.getByText('Your second factor is on. Managers need at least one.').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Vouchers' }).waitFor()
  await page.getByText('If you lose your only passkey, you need an administrator.').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await atUrl(page, '/vouchers?text=Brandt')

  await signOut(page)
  await signIn(page, mehmet.email)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await atUrl(page, '/desk')
  await requireFactorOf([])
})

test('a change long after the sign-in asks for the password, and is then saved by itself', async () => {
  const page = await openPage(browser, { url, session: admin.session })
  await db.query(`update staff_sessions set authenticated_at = now() - interval '16 minutes'`)
  await page.goto('/keys')
  await page.getByRole('button', { name: t('keys-page.new') }).click()
  await page.getByRole('textbox', { name: t('keys-page.name') }).fill('Cash desk')
  await page.getByRole('button', { name: t('keys-page.create') }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  const slowly = Promise.withResolvers<void>()
  await page.route('**/api/v2/session/again', (route) => slowly.promise.then(() => route.continue()), { times: 1 })
  await dialog.getByLabel('Your password').fill('wrong')
  await page.keyboard.press('Enter')
  await dialog.locator('button[data-loading]').waitFor()
  expect(await dialog.getByLabel('Your password').isEditable()).toBe(false) // the answer empties the field
  slowly.resolve()
  await dialog.getByText('The password is wrong.').waitFor()
  await expectAccessible(page, 'sign in again')
  await dialog.getByLabel('Your password').fill(password)
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: t('keys-page.created-title', { name: 'Cash desk' }) }).waitFor()
})
