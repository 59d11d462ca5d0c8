import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
const controller = await startSimulator()
const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
await seedControlledSite(app.db, controller, { name: 'Residenz' })
const { key } = await seedKey(app.db, { scope: 'write' })
const { session } = await seedPerson(app.db, { role: 'admin' })
for (const name of ['Zimmer 204', 'Zimmer 205']) {
  const body = JSON.stringify({ site_id: site, name })
  await app.call('/api/v2/vouchers', { method: 'POST', key, body })
}

async function openDesk(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await openPage(browser, { url: app.url, session })
  await prepare?.(page)
  await page.goto('/desk')
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

test('the first voucher found is selected when it arrives, and Enter opens it', async () => {
  const page = await openDesk()

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Site, name or code').fill('Zimmer')
  const selected = page.locator('[data-action][data-selected]')
  await selected.waitFor()
  expect(await selected.textContent()).toContain('Zimmer 205')
  await page.keyboard.press('Enter')

  await page.getByRole('dialog').getByRole('heading', { name: 'Zimmer 205' }).waitFor()
})

test('keys typed while the dialog is still loading are in its field', async () => {
  const page = await openDesk((opened) =>
    opened.route(/\/search-dialog-[^/]*\.js$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    }),
  )

  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Zimmer', { delay: 60 })
  const field = page.getByPlaceholder('Site, name or code')
  await field.waitFor()

  expect(await field.inputValue()).toBe('Zimmer')
  expect(page.url()).not.toContain('site=')
})
