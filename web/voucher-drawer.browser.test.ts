import { expect, test } from 'vitest'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
await seedPerson(db, { role: 'admin' }) // until there is one, every page leads to the first run
const site = await seedSite(db)
await seedVoucher(db, site, { name: 'Frau Huber' })
const { session } = await seedPerson(db, { siteIds: [site] })

async function openDrawer(width: number) {
  const page = await openPage(browser, { url, session, width })
  await page.goto('/vouchers')
  await page.getByText('Frau Huber').click()
  const drawer = page.getByRole('dialog', { name: 'Voucher' })
  await drawer.getByRole('heading', { name: 'Frau Huber' }).waitFor()
  return { page, drawer }
}

test('beside the list, the drawer gets the focus and Tab leaves it; Esc closes it', async () => {
  const { page, drawer } = await openDrawer(1440)
  const isInside = () => drawer.evaluate((element) => element.contains(element.ownerDocument.activeElement))
  expect(await isInside()).toBe(true)
  await page.keyboard.press('Shift+Tab')
  expect(await isInside()).toBe(false)
  await page.keyboard.press('Escape')

  await drawer.waitFor({ state: 'hidden' })
})

test('on a phone, Back closes the drawer, and so does its button', async () => {
  const { page, drawer } = await openDrawer(390)
  await page.goBack()
  await drawer.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).pathname).toBe('/vouchers')

  await page.getByText('Frau Huber').click()
  await drawer.getByRole('button', { name: 'Close' }).click()
  await drawer.waitFor({ state: 'hidden' })
  expect(page.url()).not.toContain('voucher=')
})
