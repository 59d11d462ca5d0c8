import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findPerson } from '#domain/people/staff.queries.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const password = 'correct horse battery staple'
const { url, db } = await startWebApp()
const browser = await startBrowser()
await seedPerson(db, { role: 'admin' })
await seedSite(db, { name: 'Hotel Goldener Adler' })

const seedAnna = () => seedPerson(db, { name: 'Anna Weber', password })

/** Signs in on another computer. */
async function signInElsewhere(email: string): Promise<Page> {
  const page = await openPage(browser, { url })
  await page.goto('/sign-in?next=/me')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await atUrl(page, `${url}/me`)
  return page
}

async function openAccount(session: string, locale = 'en-GB'): Promise<Page> {
  const page = await openPage(browser, { url, session, locale })
  await page.goto('/me')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByText(/this device|dieses Gerät/).waitFor()
  return page
}

test.each(['en-GB', 'de-DE'])('the account page works by keyboard, screen reader and phone, in %s', async (locale) => {
  const { session } = await seedAnna()
  const page = await openAccount(session, locale)

  await expectAccessible(page, `me.${locale}`)
  await expectKeyboardReachesAll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expectKeyboardReachesAll(page)
})

test('a changed name is shown at once, and an empty one is rejected', async () => {
  const { id, session } = await seedAnna()
  const page = await openAccount(session)
  await page.getByLabel('Name').fill('')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('Enter a name.').waitFor()
  await expectAccessible(page, 'me name missing')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByLabel('Name').fill('Anna Berger')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Anna Berger/ }).waitFor()
  await page.getByRole('alert').getByText('Saved').waitFor()

  expect((await findPerson(db, id))?.name).toBe('Anna Berger')
})

test('language and theme are saved at once and apply on the next computer', async () => {
  const { id, email, session } = await seedAnna()
  const page = await openAccount(session)
  await page.getByText('Deutsch').click()
  await page.getByRole('heading', { name: 'Mein Konto' }).waitFor()
  await page.getByText('Dunkel').click()
  await page.waitForSelector('html[data-mantine-color-scheme=dark]')
  await expect.poll(() => findPerson(db, id)).toMatchObject({ language: 'de', theme: 'dark' })

  const elsewhere = await signInElsewhere(email)
  await elsewhere.getByRole('heading', { name: 'Mein Konto' }).waitFor()
  await elsewhere.waitForSelector('html[data-mantine-color-scheme=dark]')
})

test('a changed password ends the other sessions and keeps this one', async () => {
  const { email, session } = await seedAnna()
  const elsewhere = await signInElsewhere(email)
  const page = await openAccount(session)
  await page.getByRole('button', { name: 'Change…' }).click()
  const change = async (current: string, next: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change the password' }).click()
  }
  await change('wrong', 'another horse battery staple')
  await page.getByText('The current password is wrong.').waitFor()
  await expectAccessible(page, 'me password wrong')
  await change(password, 'passwordpassword')
  await page.getByText('This password is easy to guess.').waitFor()
  await change(password, 'another horse battery staple')
  await page.getByText('Password changed').waitFor()

  await expect.poll(() => page.getByRole('button', { name: 'Sign out', exact: true }).count()).toBe(0)
  expect(await page.getByText('this device').count()).toBe(1)
  await elsewhere.reload()
  await atUrl(elsewhere, '/sign-in?next=%2Fme')
})

test('a session on another computer can be ended', async () => {
  const { email, session } = await seedAnna()
  const elsewhere = await signInElsewhere(email)
  const page = await openAccount(session)
  await page.getByText('Chrome, Linux').waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect.poll(() => page.getByText('Chrome, Linux').count()).toBe(0)

  await elsewhere.reload()
  await atUrl(elsewhere, '/sign-in?next=%2Fme')
})

test('signing out everywhere else asks first, and keeps this session', async () => {
  const { email, session } = await seedAnna()
  const elsewhere = await signInElsewhere(email)
  const page = await openAccount(session)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByText('1 other session ends. You stay signed in on this device.').waitFor()
  await expectAccessible(page, 'me everywhere else')
  await expectKeyboardReachesAll(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('button', { name: 'End 1 session' }).click()

  await expect.poll(() => page.getByText('Chrome, Linux').count()).toBe(0)
  expect(await page.getByText('this device').count()).toBe(1)
  await elsewhere.reload()
  await atUrl(elsewhere, '/sign-in?next=%2Fme')
})
