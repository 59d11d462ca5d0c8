import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
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
