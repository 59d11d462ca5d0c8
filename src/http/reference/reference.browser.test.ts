import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { keepScreenshot, startBrowser } from '#test/browser.ts'
import { isLong } from '#test/measuring.ts'
import { operations } from '../v2/register-v2.ts'

const app = await startApp()
const browser = await startBrowser()

const screens = [
  ['a desktop', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['a desktop in the dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['a phone', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }],
] as const

describe.each(isLong ? screens : screens.slice(2))('on %s', async (where, options) => {
  const page = await browser.newPage(options)
  const requested: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(`${app.url}/reference`, { waitUntil: 'networkidle' })
  await keepScreenshot(page, `reference on ${where}`)

  test('one request, none to other servers, and no errors in the console', () => {
    expect(requested).toEqual([`${app.url}/reference`])
    expect(complaints).toEqual([])
  })

  test('the stylesheet applies, and nothing is wider than the screen', async () => {
    const seen = await page.evaluate<{ background: string; width: number }>(
      '({ background: getComputedStyle(document.body).backgroundColor, width: document.documentElement.scrollWidth })',
    )

    const background = options.colorScheme === 'dark' ? 'rgb(20, 24, 29)' : 'rgb(255, 255, 255)'
    expect(seen).toEqual({ background, width: options.viewport.width })
  })

  test('a click in the contents leads to its operation', async () => {
    const some = operations.filter((_, index) => isLong || index % 9 === 0)
    for (const { operationId } of some) {
      await page.click(`nav a[href="#${operationId}"]`)
      expect(await page.locator(`#${operationId} h3`).isVisible()).toBe(true)
      expect(page.url()).toBe(`${app.url}/reference#${operationId}`)
    }
  })
})
