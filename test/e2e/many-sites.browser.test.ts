import { expect, test } from 'vitest'
import { expectAccessible } from '#test/axe.ts'
import { atUrl, keepScreenshot, startBrowser } from '#test/browser.ts'
import { seedLargeInstallation } from '#test/data/seed-large-installation.ts'
import { listenAsWorker, openPage, startWebApp } from '#test/web.ts'

// More than the 200 sites that the web app loads at once, so that the service searches them.
const app = await startWebApp()
const { people, ids } = await seedLargeInstallation(app.db, {
  sites: 300,
  vouchersPerSite: 1,
  today: app.context.today(new Date()),
})
await listenAsWorker(app.db.url)
const browser = await startBrowser()

/** A site that is not among the first ones, neither by number nor by name. */
async function lateSite(): Promise<{ id: number; name: string }> {
  const { rows } = await app.db.query('select id, name from sites where active order by name desc, id limit 1')
  return rows[0] as { id: number; name: string }
}

test('the picker finds a late site by some letters, and its choice survives a reload', async () => {
  const site = await lateSite()
  const page = await openPage(browser, { url: app.url, session: people.managerOfAll.session })
  await page.goto('/overview')
  await page.getByRole('button', { name: /^All 299 active sites/ }).click()
  await page.getByText('The first 50 sites. Type more of the name.').waitFor()
  await page.getByLabel('Search sites').fill(site.name.split(' ').slice(-2).join(' ').toLowerCase())
  await page.getByRole('option', { name: site.name }).click()
  await atUrl(page, `/overview?site=${site.id}`)
  await page.getByRole('button', { name: new RegExp(`^${site.name}`) }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: new RegExp(`^${site.name}`) }).waitFor()
})

test('the desk, the page Sites and the form of a key search the service; no page asks for more than 60 sites at once', async () => {
  const site = await lateSite()
  const page = await openPage(browser, { url: app.url, session: people.admin.session })
  const listed: number[] = []
  page.on('response', async (response) => {
    if (/\/api\/v2\/sites\?/.test(response.url()))
      listed.push((await response.json().catch(() => ({ sites: [] }))).sites.length)
  })
  await page.goto('/desk')
  await page.getByRole('combobox', { name: 'For which site?' }).fill(site.name.toLowerCase())
  await page.getByRole('option', { name: site.name }).click()
  await page.getByLabel('For whom?').waitFor()
  expect(await page.getByRole('combobox', { name: 'For which site?' }).inputValue()).toBe(site.name)

  await page.goto('/sites')
  await page.getByText(/^1–50 of/).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(/^51–100 of/).waitFor()
  await page.getByRole('searchbox', { name: 'Search 300 sites' }).fill(`${site.id} console`)
  await page.getByRole('link', { name: site.name }).waitFor()
  await expectAccessible(page, 'many sites')

  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByText('Only these sites').click()
  const field = page.getByRole('dialog').getByPlaceholder('Choose sites')
  await field.fill(site.name.toLowerCase())
  await page.getByRole('option', { name: site.name }).click()
  await page.getByRole('dialog').getByText(site.name, { exact: true }).first().waitFor()
  await keepScreenshot(page, 'many-sites-key')

  expect(listed.length).toBeGreaterThan(3)
  expect(Math.max(...listed)).toBeLessThanOrEqual(60)
  expect(ids).toHaveLength(300)
})

test('the vouchers of all sites appear with the names of their sites', async () => {
  const { rows: sites } = await app.db.query<{ name: string }>('select name from sites')
  const page = await openPage(browser, { url: app.url, session: people.managerOfAll.session })
  await page.route(/\/api\/v2\/sites\?.*\bid=/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue()
  })
  await page.goto('/vouchers')
  await page.locator('[data-voucher]').first().waitFor()
  const shown = await page.locator('tbody td:has([data-voucher]) > :last-child').allInnerTexts()

  expect(shown.length).toBeGreaterThan(40)
  expect(shown.filter((name) => sites.every((site) => site.name !== name))).toEqual([])
})

test('a receptionist of one site notices nothing: no choice, no search, no further request for sites', async () => {
  const page = await openPage(browser, { url: app.url, session: people.receptionist.session })
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/api\/v2\/sites\?/.test(request.url())) asked.push(request.url())
  })
  await page.goto('/desk')
  await page.getByLabel('For whom?').waitFor()

  expect(await page.getByRole('combobox', { name: 'For which site?' }).count()).toBe(0)
  expect(asked).toEqual([])
})
