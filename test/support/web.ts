import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import { startListener } from '#queue/wake-ups.ts'
import { startApp, type TestApp } from './app.ts'
import { onFileEnd } from './on-file-end.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

let built: Promise<unknown> | undefined

/** The real service in this process with the real web app, which is built if its sources changed before this process began. */
export async function startWebApp(env: Record<string, string> = {}, options: { port?: number } = {}): Promise<TestApp> {
  built ??= promisify(execFile)(process.execPath, [`${root}build/build-web.ts`])
  await built
  return startApp(env, { ...options, webFolder: `${root}dist/web` })
}

type Visit = {
  /** The origin of the web app. */
  url: string
  locale?: string
  /** Without it, the zone of this machine. */
  timeZone?: string
  width?: number
  /** The session of a person who is signed in already. */
  session?: string
}

/** Opens a page with its own cookies, like another computer. Relative addresses belong to the app. */
export async function openPage(
  browser: Browser,
  { url, locale = 'en-GB', timeZone, width = 1440, session }: Visit,
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    locale,
    ...(timeZone !== undefined && { timezoneId: timeZone }),
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  })
  if (session !== undefined) await context.addCookies([{ name: 'voucher-session', value: session, url }])
  context.setDefaultTimeout(60_000) // a busy machine may need many times a second
  // An open desk goes on asking the service. A page that the set-up of a file opens stays open for its tests.
  if (TestRunner.getCurrentTest()) onTestFinished(() => context.close())
  return context.newPage()
}

/** Holds the lock by which the service sees that a worker runs. A real worker would sync, and find that no controller exists. */
export async function listenAsWorker(databaseUrl: string): Promise<void> {
  const nothing = () => {}
  const connection = { connectionString: databaseUrl }
  const listening = Promise.withResolvers<void>()
  const listener = startListener({ connection, onWake: nothing, onListening: listening.resolve, onError: nothing })
  onFileEnd(() => listener.stop())
  await listening.promise
}

/** Removes the session and the sites from the page, so that the app asks the service for them, and a test can change the answers. */
export async function withoutFirstData(page: Page): Promise<void> {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback()
    const response = await route.fetch()
    const body = (await response.text()).replace(/(id="first-data">).*?(?=<\/script>)/s, '$1{}')
    return route.fulfill({ response, body })
  })
}
