import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setHouse, setHouseLogo } from '#domain/settings/house.ts'
import { accentColors, accentStyle } from '#lib/accent-colors.ts'
import { createRandom } from '#lib/random.ts'
import { expectAccessible, expectContrast } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { png } from '#test/data/images.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { isLong, report } from '#test/measuring.ts'
import { openPage, startWebApp } from '#test/web.ts'

const [app, browser] = [await startWebApp(), await startBrowser()]
const { session } = await seedPerson(app.db, { role: 'admin' })
await seedSite(app.db, { name: 'Lobby' })

/** The background of the main button, as the browser paints it. */
const buttonColor = (page: Page) =>
  page
    .locator('button[type=submit]')
    .first()
    .evaluate((button) => (globalThis as any).getComputedStyle(button).backgroundColor)

test('the first page shows the name, the logo and the colour of the house without any script', async () => {
  await setHouse(app.context, testActor, { name: 'Hotel Goldener Adler', accentColor: '#7a1f2b' })
  await setHouseLogo(app.db, testActor, png)
  const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled: false })
  const page = await context.newPage()
  const expectHouse = async () => {
    await page.getByText('Hotel Goldener Adler').first().waitFor()
    const logo = page.locator('img[src^="/house-logo"]').first()
    await expect.poll(() => logo.evaluate((image: any) => image.naturalWidth)).toBe(7)
    expect(await page.title()).toBe('Hotel Goldener Adler')
  }

  await page.goto('/desk')
  await expectHouse()
  expect(await buttonColor(page)).toBe('rgb(122, 31, 43)')
  await context.addCookies([{ name: 'voucher-session', value: session, url: app.url }])
  await page.goto('/desk')
  await page.getByRole('navigation').first().waitFor()
  await expectHouse()
  await context.close()
})

test('an administrator sees how a colour is adjusted, saves it, and has it at once and after a reload', async () => {
  await setHouse(app.context, testActor, { name: null, accentColor: null })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/settings?tab=appearance')
  const before = await buttonColor(page)

  await page.getByLabel('Name of the house').fill('Zum Löwen')
  await page.getByLabel('Colour of buttons and links').fill('#ffee00')
  await page.getByText('#ffee00 is too light for text. We use #7a7100 on light pages').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Appearance saved').waitFor()

  expect(before).toBe('rgb(67, 80, 198)')
  await expect.poll(() => buttonColor(page)).toBe('rgb(122, 113, 0)')
  await expect.poll(() => page.title()).toBe('Settings · Zum Löwen')
  await page.getByRole('navigation').getByText('Zum Löwen').first().waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Save appearance' }).waitFor()
  expect(await buttonColor(page)).toBe('rgb(122, 113, 0)')
  await page.context().close()
})

/** Opens the sign-in page, the desk and the settings, and calls `check` for each. */
async function forEachPage(check: (page: Page, name: string) => Promise<void>): Promise<void> {
  const visitor = await openPage(browser, { url: app.url })
  await visitor.goto('/sign-in')
  await visitor.getByLabel('E-mail').waitFor()
  await check(visitor, 'house-sign-in')
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/desk')
  await page.getByRole('button', { name: 'Create voucher' }).waitFor()
  await check(page, 'house-desk')
  await page.goto('/settings?tab=appearance')
  await page.getByText('Dark page', { exact: true }).waitFor()
  await check(page, 'house-settings')
  await Promise.all([visitor.context().close(), page.context().close()])
}

test.runIf(isLong)(
  'sign-in, desk and settings are accessible in the lightest colour, which is changed most',
  async () => {
    await setHouse(app.context, testActor, { name: 'Hotel Goldener Adler', accentColor: '#ffff00' })
    await forEachPage(expectAccessible)
  },
)

test.runIf(isLong)('sign-in, desk and settings have enough contrast in the darkest colour and 50 others', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
  report('seed of the colours (repeat with SEED=<seed>)', String(seed))
  const { between } = createRandom(seed)
  const random = () => `#${between(0, 0xffffff).toString(16).padStart(6, '0')}`
  const colors = ['#000000', ...Array.from({ length: 50 }, random)]

  await setHouse(app.context, testActor, { name: 'Hotel Goldener Adler', accentColor: '#7a1f2b' })
  await forEachPage(async (page, name) => {
    for (const color of colors) {
      const style = accentStyle(accentColors(color))
      await page.locator('#house-colors').evaluate((element: any, text) => (element.textContent = text), style)
      await expectContrast(page, `${name} in ${color}`)
    }
  })
})
