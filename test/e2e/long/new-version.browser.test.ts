import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, seedTemplate } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()

/** Answers as the service does for a file of a bundle that was replaced. */
async function answerAsGone(route: Route): Promise<void> {
  await route.fulfill({ response: await route.fetch({ url: `${url}/assets/gone.js` }) })
}

async function openDesk(): Promise<{ page: Page; loads: () => number }> {
  const { session } = await seedPerson(db, { role: 'admin' })
  const page = await openPage(browser, { url, session })
  let loads = 0
  page.on('domcontentloaded', () => loads++)
  await page.goto('/desk')
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, loads: () => loads }
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Account and display/ }).click()
  await page.getByRole('link', { name: 'My account' }).click()
}

test('after an update, a page whose script is gone is loaded with the new bundle', async () => {
  const { page, loads } = await openDesk()
  await page.route('**/assets/me-page-*.js', answerAsGone)
  page.once('domcontentloaded', () => void page.unrouteAll())
  await openAccount(page)
  await page.getByRole('heading', { name: 'My account' }).waitFor()

  expect(new URL(page.url()).pathname).toBe('/me')
  expect(loads()).toBe(2)
})

test('after an update, a page whose style is gone is loaded with the new bundle too', async () => {
  const { url } = await startWebApp()
  const page = await openPage(browser, { url })
  let styles = 0
  await page.route('**/assets/first-run-page-*.css', (route) =>
    styles++ === 0 ? answerAsGone(route) : route.continue(),
  )
  await page.goto('/first-run')
  await page.getByLabel('Setup token').waitFor()

  expect(styles).toBeGreaterThan(1)
})

test('a file that stays missing causes one reload and then an error, not a loop', async () => {
  const { page, loads } = await openDesk()
  await page.route('**/assets/me-page-*.js', answerAsGone)
  await openAccount(page)
  await page.getByRole('heading', { name: 'That did not work' }).waitFor()
  expect(loads()).toBe(2)
  await expectAccessible(page, 'missing file')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()

  await page.getByRole('heading', { name: 'My account' }).waitFor()
})

test('a missing part of the open page causes a notice, and what was typed stays', async () => {
  const site = await seedSite(db)
  await seedTemplate(db)
  const { session } = await seedPerson(db, { role: 'desk', siteIds: [site] })
  const page = await openPage(browser, { url, session })
  let loads = 0
  page.on('domcontentloaded', () => loads++)
  await page.goto('/desk')
  await page.getByLabel('For whom?').fill('Anna Berger')
  await page.route('**/assets/until-picker-*.js', answerAsGone)
  await page.getByRole('radio', { name: /Customise/ }).check({ force: true })
  await page.getByText('Until date').click()
  await page.getByText('The service was updated').waitFor()

  await expectAccessible(page, 'new version')
  expect(await page.getByLabel('For whom?').inputValue()).toBe('Anna Berger')
  expect(loads).toBe(1)
  await page.getByRole('button', { name: 'Reload now' }).click()
  await expect.poll(() => loads).toBe(2)
})
