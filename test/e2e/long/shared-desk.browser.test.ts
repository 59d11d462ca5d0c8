import { expect, test } from 'vitest'
import { expectAccessible } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
const site = await seedSite(db, { name: 'Hotel Goldener Adler' })
await seedPerson(db, { role: 'admin' })

const english = {
  share: 'Several people share it',
  minutes: 'Sign out after',
  save: 'Save minutes',
  asked: 'Still there?',
  stay: 'Stay signed in',
  ended: 'You were signed out because nobody had used this page for a while.',
}
const german = {
  share: 'Mehrere Personen nutzen ihn',
  minutes: 'Abmelden nach',
  save: 'Minuten speichern',
  asked: 'Sind Sie noch da?',
  stay: 'Angemeldet bleiben',
  ended: 'Sie wurden abgemeldet, weil diese Seite länger nicht benutzt wurde.',
}

test.each([
  ['en-GB', english],
  ['de-DE', german],
] as const)('a shared desk asks, stays while it is used, and signs out, in %s', async (locale, words) => {
  const manager = await seedPerson(db, { role: 'manager', siteIds: [site] })
  const page = await openPage(browser, { url, session: manager.session, locale })
  await page.clock.install()
  await page.goto('/me')
  const readMinutes = async () =>
    (await db.query('select idle_minutes from staff_sessions where staff_id = $1', [manager.id])).rows[0]?.idle_minutes
  const share = page.getByLabel(words.share)
  await share.click()
  await expect.poll(readMinutes).toBe(30)
  await share.click()
  await expect.poll(readMinutes).toBe(null)
  await share.click()
  await expect.poll(readMinutes).toBe(30)
  await page.getByLabel(words.minutes).fill('5')
  await page.mouse.move(0, 0) // a notice under the mouse stays open
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  await expectAccessible(page, `shared desk.${locale}`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: words.save }).click()
  await expect.poll(readMinutes).toBe(5)

  await page.clock.fastForward('04:00')
  expect(await page.getByText(words.asked).count()).toBe(0)
  await page.clock.fastForward('00:35')
  await page.getByText(words.asked).waitFor()
  await expectAccessible(page, `shared desk asks.${locale}`)
  await page.getByRole('button', { name: words.stay }).click()
  await page.getByText(words.asked).waitFor({ state: 'hidden' })
  expect(new URL(page.url()).pathname).toBe('/me')

  await page.clock.fastForward('05:01')
  await atUrl(page, '/sign-in?problem=signed_out_idle')
  await page.getByText(words.ended).waitFor()
  await expectAccessible(page, `shared desk ended.${locale}`)
  expect((await db.query('select from staff_sessions where staff_id = $1', [manager.id])).rowCount).toBe(0)
})

test('a shared desk that signs out while the service does not answer removes the guests from the browser too', async () => {
  const manager = await seedPerson(db, { role: 'manager', siteIds: [site] })
  await db.query('update staff_sessions set idle_minutes = 5 where staff_id = $1', [manager.id])
  const page = await openPage(browser, { url, session: manager.session })
  await page.clock.install()
  await page.goto('/desk')
  await page.getByLabel('For whom?').fill('Herr Maier')
  const kept = () => page.evaluate<string>('JSON.stringify(sessionStorage)')
  await expect.poll(kept).toContain('Herr Maier')
  await page.route('**/api/v2/session', (route) => route.abort())
  await page.clock.fastForward('05:01')

  await atUrl(page, (address) => address.pathname === '/sign-in')
  await expect.poll(kept).not.toContain('Maier')
  expect(await kept()).toContain('vs.signed-out')
})

test('the desk itself cannot change it', async () => {
  const { session } = await seedPerson(db, { siteIds: [site] })
  const page = await openPage(browser, { url, session })
  await page.goto('/me')
  await page.getByText('this device').waitFor()

  expect(await page.getByLabel(english.share).count()).toBe(0)
})
