import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { vi } from 'vitest'
import { onFileEnd } from './on-file-end.ts'

/** Starts the Chromium of the system, which `.ci/services` installs, with these arguments. */
export async function startBrowser(...args: string[]): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'
  // CI runs as root, where the sandbox does not work.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] })
  onFileEnd(() => browser.close())
  return browser
}

/** Saves a screenshot for people to look at, in the folder that SCREENSHOTS names. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/**
 * Waits until the page has this path and query, this whole address, or an address that fulfils the condition, and is loaded.
 * `page.waitForURL` of Playwright fails if the page starts another navigation meanwhile, for example to the same address.
 */
export async function atUrl(page: Page, expected: string | RegExp | ((url: URL) => boolean)): Promise<void> {
  const isExpected = (url: URL) => {
    if (expected instanceof Function) return expected(url)
    if (expected instanceof RegExp) return expected.test(url.href)
    return expected === url.href || expected === url.pathname + url.search
  }
  await vi.waitFor(() => assert(isExpected(new URL(page.url())), `The page is at ${page.url()}`), { timeout: 60_000 })
  await page.waitForLoadState()
}
