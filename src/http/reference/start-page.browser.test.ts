import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { keepScreenshot, startBrowser } from '#test/browser.ts'
import { size } from '#test/measuring.ts'

const app = await startApp()
const browser = await startBrowser()

const looks = [
  [1440, 'light', 'rgb(255, 255, 255)'],
  [390, 'dark', 'rgb(20, 24, 29)'],
  [1440, 'dark', 'rgb(20, 24, 29)'],
  [390, 'light', 'rgb(255, 255, 255)'],
] as const

test.each(looks.slice(0, size(2, 4)))('the start page at %i px, %s', async (width, colorScheme, background) => {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(app.url, { waitUntil: 'networkidle' })
  await keepScreenshot(page, `start page at ${width}, ${colorScheme}`)
  const seen = await page.evaluate<{ background: string; width: number }>(
    '({ background: getComputedStyle(document.body).backgroundColor, width: document.documentElement.scrollWidth })',
  )

  expect(seen).toEqual({ background, width })
  expect(complaints).toEqual([])
  await page.click('a[href="/reference"]')
  expect(page.url()).toBe(`${app.url}/reference`)
})
