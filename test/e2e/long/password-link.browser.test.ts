import { expect, test } from 'vitest'
import { addPerson } from '#domain/people/administer-staff.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, testActor } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
await seedPerson(db, { role: 'admin' })

/** Invites somebody; returns the token of the link. */
async function invite(email: string): Promise<string> {
  const request = { name: 'Anna Weber', email, role: 'desk' as const, siteIds: undefined, language: null }
  return (await addPerson(db, testActor, request)).link.token
}

test.each([
  ['en-GB', 'New password', 'Save the password', 'The link is no longer valid.'],
  ['de-DE', 'Neues Passwort', 'Passwort speichern', 'Der Link gilt nicht mehr.'],
])('a link sets a password once and signs in, in %s', async (locale, label, save, invalid) => {
  const token = await invite(`anna.${locale}@adler.example`)
  const page = await openPage(browser, { url, locale })
  await page.goto(`/password#${token}`)
  await page.getByLabel(label).waitFor()
  expect(page.url()).toBe(`${url}/password`) // nobody can read the token over a shoulder
  await expectAccessible(page, `password-link.${locale}`)
  await expectKeyboardReachesAll(page)
  await page.getByLabel(label).fill('correct horse battery staple')
  await page.getByRole('button', { name: save }).click()
  await atUrl(page, '/desk')

  const again = await openPage(browser, { url, locale })
  await again.goto(`/password#${token}`)
  await again.getByLabel(label).fill('another horse battery staple')
  await again.getByRole('button', { name: save }).click()
  await again.getByText(invalid).waitFor()
  await expectAccessible(again, `password-link used.${locale}`)
})

test('an expired link is rejected with a message', async () => {
  const token = await invite('late@adler.example')
  await db.query(`update password_links set expires_at = now() - interval '1 second'`)
  const page = await openPage(browser, { url })
  await page.goto(`/password#${token}`)
  await page.getByLabel('New password').fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Save the password' }).click()

  await page.getByText('The link is no longer valid.').waitFor()
})

test('a short and a common password are rejected at the field, and the link still works', async () => {
  const token = await invite('careless@adler.example')
  const page = await openPage(browser, { url })
  await page.goto(`/password#${token}`)
  const save = page.getByRole('button', { name: 'Save the password' })
  await page.getByLabel('New password').fill('short')
  await save.click()
  await page.getByText('The password needs at least 12 characters.').waitFor()
  await expectAccessible(page, 'password-link short')
  await page.getByLabel('New password').fill('passwordpassword')
  await save.click()
  await page.getByText('This password is easy to guess.').waitFor()
  await expectAccessible(page, 'password-link common')
  await page.getByLabel('New password').fill('correct horse battery staple')
  await page.keyboard.press('Enter')

  await atUrl(page, '/desk')
})

test('an altered link is rejected with a message, and the real one still works', async () => {
  const token = await invite('altered@adler.example')
  const altered = `${token.startsWith('a') ? 'b' : 'a'}${token.slice(1)}`
  const page = await openPage(browser, { url })
  for (const each of [altered, token]) {
    await page.goto('about:blank')
    await page.goto(`/password#${each}`)
    await page.getByLabel('New password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Save the password' }).click()
    if (each === altered) await page.getByText('or a part of it was changed').waitFor()
  }

  await atUrl(page, '/desk')
})

test.each(['/password', '/password#%', `/password#${'a'.repeat(42)}`])('an incomplete link, %s', async (path) => {
  const page = await openPage(browser, { url })
  await page.goto(path)
  await page.getByText('The link is incomplete').waitFor()
  await expectAccessible(page, 'password-link incomplete')
})
