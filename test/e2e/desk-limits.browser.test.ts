import { expect, test } from 'vitest'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

test('without templates the desk begins with the longest duration that the site allows, and says it', async () => {
  const site = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
  await app.db.query('update sites set longest_minutes = 120, vouchers_per_day = 1 where id = $1', [site])
  const { session } = await seedPerson(app.db, { siteIds: [site] })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/desk')
  const limit = page.getByText('Allowed here: at most 2 hours.')
  const amount = page.getByRole('textbox', { name: 'Duration' })
  await limit.waitFor()
  await page.getByText('2 hours from first use').waitFor()
  await page.getByText('1 of 1 voucher left today at this site').waitFor()
  expect(await amount.inputValue()).toBe('2')
  expect(await amount.getAttribute('aria-describedby')).toBe(await limit.getAttribute('id'))
  expect(await page.getByRole('radio', { name: 'Days' }).isDisabled()).toBe(true)

  await amount.fill('3')
  await page.getByLabel('For whom?').fill('Zimmer 12')
  await page.keyboard.press('Enter')
  await page.locator('[aria-invalid="true"]').waitFor()
  expect(await amount.inputValue()).toBe('3') // what somebody typed stays
  const box = await limit.boundingBox()
  expect(box?.height).toBeLessThan(30) // one line
  await expectUsable(page, 'desk too long')

  await page.getByText('Until date').click() // begins with the last end that is allowed, not with tomorrow
  await page.getByLabel('For whom?').press('Enter')
  await page.getByRole('heading', { name: 'New voucher' }).waitFor()
  expect(await page.locator('[aria-invalid="true"]').count()).toBe(0)
})
