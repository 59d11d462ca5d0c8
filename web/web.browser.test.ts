import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepScreenshot, startBrowser } from '#test/browser.ts'
import { size } from '#test/measuring.ts'
import { startWebApp, withoutFirstData } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()

/** Opens a path and records complaints of the browser, such as violations of the policy, and requests to other hosts. */
async function open(path: string, options: { width: number; colorScheme?: 'light' | 'dark'; locale: string }) {
  const { width, colorScheme = 'light', locale } = options
  const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme, locale })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => request.url().startsWith(app.url) || complaints.push(request.url()))
  return { page, complaints, goto: () => page.goto(app.url + path) }
}

const widthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')

const looks = [
  [1440, 'light', 'en-GB', 'This page does not exist'],
  [390, 'dark', 'de-DE', 'Diese Seite gibt es nicht'],
  [1440, 'dark', 'de-AT', 'Diese Seite gibt es nicht'],
  [390, 'light', 'fr-FR', 'This page does not exist'],
] as const

test.each(looks.slice(0, size(2, 4)))(
  'an unknown path at %i px, %s, in %s',
  async (width, colorScheme, locale, title) => {
    const { page, complaints, goto } = await open('/nowhere', { width, colorScheme, locale })
    await goto()
    await page.getByRole('heading', { name: title }).waitFor()
    await keepScreenshot(page, `unknown path at ${width}, ${colorScheme}`)

    expect(await page.getAttribute('html', 'lang')).toBe(title.startsWith('This') ? 'en' : 'de')
    expect(await page.getAttribute('html', 'data-mantine-color-scheme')).toBe(colorScheme)
    expect(await widthOf(page)).toBe(width)
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]) // the page itself is answered with 404
  },
)

test.each([
  [1440, 'en-GB', 'No connection to the service', 'Try again'],
  [390, 'de-DE', 'Keine Verbindung zum Dienst', 'Erneut versuchen'],
] as const)('without an answer of the service at %i px, in %s', async (width, locale, title, button) => {
  const { page, goto } = await open('/desk', { width, locale })
  let calls = 0
  await withoutFirstData(page)
  await page.route('**/api/**', (route) => {
    calls++
    return route.abort()
  })
  await goto()
  await page.getByRole('heading', { name: title }).waitFor()
  await keepScreenshot(page, `no answer at ${width}`)
  const before = calls
  await page.getByRole('button', { name: button }).click()

  await expect.poll(() => calls).toBeGreaterThan(before)
  expect(await widthOf(page)).toBe(width)
})
