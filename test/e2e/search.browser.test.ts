import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
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
  // The keys of the frame work once the app has replaced the bars of the first page.
  await expect.poll(() => page.locator('.first-page').count()).toBe(0)
  return page
}

test('the first voucher found is selected when it arrives, and Enter opens it', async () => {
  const page = await openDesk()

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Site, name or code').fill('Zimmer')
  const selected = page.locator('[data-action][data-selected]')
  await selected.waitFor()
  for (const text of ['Zimmer 205', 'Hotel Goldener Adler', 'Valid'])
    await expect.poll(() => selected.textContent()).toContain(text)
  await page.keyboard.press('Enter')

  await page.getByRole('dialog').getByRole('heading', { name: 'Zimmer 205' }).waitFor()
})

test('the name of a site offers a new voucher there and a test of its controller', async () => {
  const page = await openDesk()

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Site, name or code').fill('resid')
  await page.getByText('Test controller of Residenz').click()
  await atUrl(page, /\/sites\/\d+/)
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Site, name or code').fill('resid')
  await page.getByText('New voucher at Residenz').click()

  await atUrl(page, /\/desk\?site=\d+/)
})

const earlyKeys = [
  ['Ctrl K', 'ControlOrMeta+k', (page: Page) => page.getByPlaceholder('Site, name or code')],
  ['?', 'Shift+?', (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })],
] as const

test.each(isLong ? earlyKeys : earlyKeys.slice(0, 1))(
  '%s works before the navigation is rendered',
  async (_, keys, dialogOf) => {
    const page = await openPage(browser, { url: app.url, session })
    // The second step waits for a frame or for 300 ms. It gets neither before the test has pressed the keys.
    await page.addInitScript(`{
    const { requestAnimationFrame, setTimeout } = window
    const waiting = []
    const isFirstStep = () => [...document.querySelectorAll('main')].some((main) => !main.closest('.first-page'))
    window.requestAnimationFrame = (run) => (isFirstStep() ? waiting.push(run) : requestAnimationFrame(run))
    window.setTimeout = (run, ms, ...more) =>
      ms === 300 && isFirstStep() ? waiting.push(run) : setTimeout(run, ms, ...more)
    window.goOn = () => {
      Object.assign(window, { requestAnimationFrame, setTimeout })
      for (const run of waiting.splice(0)) run(performance.now())
    }
  }`)
    await page.goto('/desk')
    await page.locator('input:focus').waitFor()
    expect(await page.locator('.first-page').count()).toBeGreaterThan(0)
    await page.locator('input:focus').blur() // single keys do nothing while somebody types
    await page.keyboard.press(keys)
    await page.evaluate('window.goOn()')

    await dialogOf(page).waitFor()
  },
)

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

  await expect.poll(() => field.inputValue()).toBe('Zimmer')
  expect(page.url()).not.toContain('site=')
})
