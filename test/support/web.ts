import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { startListener } from '#queue/wake-ups.ts'
import { startApp, type TestApp } from './app.ts'
import { onFileEnd } from './on-file-end.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The real service in this process with the real web app, which is built if its sources have changed. */
export async function startWebApp(env: Record<string, string> = {}): Promise<TestApp> {
  await promisify(execFile)(process.execPath, [`${root}build/build-web.ts`])
  return startApp(env, { webFolder: `${root}dist/web` })
}

type Visit = {
  /** The origin of the web app. */
  url: string
  locale?: string
  width?: number
  /** The session of a person who is signed in already. */
  session?: string
}

/** Opens a page with its own cookies, like another computer. Relative addresses belong to the app. */
export async function openPage(
  browser: Browser,
  { url, locale = 'en-GB', width = 1440, session }: Visit,
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    locale,
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  })
  if (session !== undefined) await context.addCookies([{ name: 'voucher-session', value: session, url }])
  context.setDefaultTimeout(60_000) // a busy machine may need many times a second
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
