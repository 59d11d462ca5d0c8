import type { Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { keepScreenshot, startBrowser } from '#test/browser.ts'
import { seedLargeInstallation } from '#test/data/seed-large-installation.ts'
import { median, report } from '#test/measuring.ts'
import { listenAsWorker, openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const siteCount = Number(process.env['SITES'] ?? 5_000)
const { people, ids, one } = await seedLargeInstallation(app.db, {
  sites: siteCount,
  vouchersPerSite: 40,
  days: 30,
  today: app.context.today(new Date()),
})
await listenAsWorker(app.db.url)
const browser = await startBrowser()

const pages: Record<string, string> = {
  desk: '/desk',
  'desk of a site': `/desk?site=${one}`,
  vouchers: '/vouchers',
  'vouchers of a site': `/vouchers?site=${one}`,
  overview: '/overview',
  sites: '/sites',
  site: `/sites/${one}`,
  keys: '/keys',
  webhooks: '/webhooks',
  audit: '/audit',
  templates: '/settings?tab=templates',
  slips: '/settings?tab=slips',
  appearance: '/settings?tab=appearance',
  email: '/settings?tab=email',
  'sign-in settings': '/settings?tab=sign-in',
  'guest data': '/settings?tab=guest-data',
  about: '/settings?tab=about',
  settings: '/settings',
  'add site': '/sites/add',
  account: '/me',
}

/**
 * Notes the time of the last change of the page. The head does not count: a second after every page, the app loads its search, whose files
 * are named there, and nobody sees that.
 */
const watchChanges = `
  window.lastChange = 0
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => !document.head?.contains(target))) window.lastChange = performance.now()
  }).observe(document, { subtree: true, childList: true, characterData: true })`

type Figures = { ms: number; requests: number; kB: number; nodes: number }

/** Opens a page and waits until it has not changed, and no request was under way, for half a second. */
async function measure(page: Page, path: string): Promise<Figures> {
  let [underway, requests] = [0, 0]
  const isApi = (url: string) => url.includes('/api/')
  const begin = (request: Request) => {
    if (!isApi(request.url())) return
    underway++
    requests++
  }
  const sizes: Promise<number>[] = []
  const end = (request: Request) => {
    if (!isApi(request.url())) return
    underway--
    sizes.push(
      request.sizes().then(
        ({ responseBodySize }) => responseBodySize,
        () => 0,
      ),
    )
  }
  page.on('request', begin)
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  const answer = await page.goto(path, { waitUntil: 'load' })
  const document = (await answer?.body())?.length ?? 0
  let last = { at: -1, since: Date.now() }
  for (;;) {
    const at = (await page.evaluate('window.lastChange')) as number
    if (at !== last.at || underway > 0) last = { at, since: Date.now() }
    if (Date.now() - last.since > 500) break
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  page.off('request', begin)
  page.off('requestfinished', end)
  page.off('requestfailed', end)
  const nodes = (await page.evaluate('document.querySelectorAll("*").length')) as number
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, document)
  return { ms: last.at, requests, kB: bytes / 1000, nodes }
}

describe.each(['managerOfAll', 'managerOfListed', 'managerOfThree', 'receptionist', 'admin'] as const)('%s', (who) => {
  test('every page', { timeout: 1_200_000 }, async () => {
    const page = await openPage(browser, { url: app.url, session: people[who].session })
    await page.addInitScript(watchChanges)
    await measure(page, '/me')
    const slow: string[] = []
    for (const [name, path] of Object.entries(pages)) {
      const runs = [await measure(page, path), await measure(page, path), await measure(page, path)]
      const ms = median(runs.map((run) => run.ms))
      const { requests, kB, nodes } = runs[1] as Figures
      report(`${who} | ${name} | ms, requests, kB, nodes`, [ms, requests, kB, nodes])
      if (ms >= 1_000) slow.push(`${name}: ${Math.round(ms)} ms`)
      await keepScreenshot(page, `large-${who}-${name.replaceAll(' ', '-')}`)
    }

    expect(ids).toHaveLength(siteCount)
    expect(slow).toEqual([])
  })
})
