import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { onFileEnd } from './on-file-end.ts'

/** Chromium as the system has it; `.ci/services` installs it. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] }) // root, as in CI, has no sandbox
  onFileEnd(() => browser.close())
  return browser
}

/** For a person to look at, in the folder that SCREENSHOTS names. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
