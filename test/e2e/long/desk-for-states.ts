import type { Page, Route } from 'playwright-core'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import type { TestApp } from '#test/app.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, seedVoucher, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { openPage, startWebApp, withoutFirstData } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'

const longest = {
  site: 'Kurhotel und Seminarzentrum Goldener Adler am Wolfgangsee mit Gästehaus und Strandbad',
  guest: 'Zimmer 204 · Familie Wolkenstein-Trostburg zu Hohenems mit drei Kindern, Hund und Großeltern',
  template: 'Tagungsgäste des Seminarzentrums mit Übernachtung',
  wifi: 'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW',
}
const usual = { site: 'Hotel Goldener Adler', guest: 'Zimmer 204 · Brandt', template: 'Tagung', wifi: 'Adler-Gast' }

/** A site with usual names for German, and one with the longest names and seven templates for English. */
export const namesIn = { de: usual, en: longest }

export type StateDesk = {
  page: Page
  t: (key: string, values?: Record<string, string | number>) => string
  guest: string
  /** Ends the session as an administrator would. */
  endSession(): Promise<unknown>
}

/** A service with vouchers in every status. Its controllers never answer; tests send the answers instead. */
export async function startDesks() {
  const app = await startWebApp()
  const browser = await startBrowser()
  await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
  const sites = { de: await seedDesk(app, usual), en: await seedDesk(app, longest) }

  /** A page for somebody with one site, whose texts are in this language. */
  async function openAs(language: Language, { siteIds = [sites[language]], role = 'desk' as 'desk' | 'admin' } = {}) {
    const { locale, t } = wordsOf(language)
    const { id, session } = await seedPerson(app.db, { name: 'Anna Weber', role, ...(role === 'desk' && { siteIds }) })
    const page = await openPage(browser, { url: app.url, session, locale })
    const endSession = () => app.db.query('delete from staff_sessions where staff_id = $1', [id])
    return { page, t, guest: namesIn[language].guest, endSession }
  }
  async function openDesk(language: Language): Promise<StateDesk> {
    const desk = await openAs(language)
    await desk.page.goto('/desk')
    await desk.page.getByLabel(desk.t('desk.for-whom')).waitFor()
    await desk.page.getByText('93685-87509').waitFor()
    return desk
  }
  return { app, browser, sites, openAs, openDesk }
}

async function seedDesk({ db, context }: TestApp, names: typeof usual): Promise<number> {
  const site = await seedSite(db, { name: names.site })
  const facts = { wifiName: names.wifi, wifiPassword: 'correct horse', timeZone: 'Europe/Vienna' }
  await setGuestInfo({ db, keyring: testKeyring, today: context.today }, testActor, site, facts)
  const templates: [string, number, number][] = [
    ['8 Stunden', 480, 1],
    ['1 Tag', 1440, 2],
    ['3 Tage', 4320, 2],
    ['1 Woche', 10_080, 4],
    [names.template, 720, 100],
    ...(names === usual
      ? []
      : ([
          ['2 Wochen', 20_160, 4],
          [longest.guest, 43_200, 0],
        ] as [string, number, number][])),
  ]
  const unlimited = { siteId: site, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
  for (const [name, expireMinutes, maxUses] of templates)
    await addTemplate(db, testActor, { ...unlimited, name, expireMinutes, maxUses })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const made = { maxUses: 2, expireMinutes: 1440 }
  await seedVoucher(db, site, {
    ...made,
    name: 'Tagungsraum 1 · Lindqvist',
    code: '9015796396',
    createdAt: minutesAgo(250),
    status: 'revoked',
  })
  await seedVoucher(db, site, {
    ...made,
    name: 'Zimmer 402 · Okafor',
    code: '6079597393',
    createdAt: minutesAgo(42),
    status: 'expired',
  })
  await seedVoucher(db, site, {
    ...made,
    name: 'Zimmer 118 · Schuster',
    code: '4674028861',
    createdAt: minutesAgo(16),
    status: 'used',
    usedCount: 2,
    expiresAt: new Date(Date.now() + 80_000_000),
  })
  await seedVoucher(db, site, {
    ...made,
    expireMinutes: 10_080,
    name: names.guest,
    code: '9368587509',
    createdAt: minutesAgo(3),
  })
  return site
}

/** The page has these answers already. */
const isInPage = (path: string) => path === '/session' || path === '/sites'

/** The path of an operation of the API, also with a query. */
const under = (path: string) => new RegExp(`/api/v2${path}(\\?|$)`)

type Answer = { status?: number; json?: unknown; headers?: Record<string, string> }

/** Answers instead of the service. `method` leaves other requests to the service. */
export async function answer(page: Page, path: string, { status = 200, json, headers = {} }: Answer, method = 'GET') {
  if (isInPage(path)) await withoutFirstData(page)
  await page.route(under(path), (route: Route) =>
    route.request().method() === method ? route.fulfill({ status, json, headers }) : route.fallback(),
  )
}

/** A failure in the format of the service. */
export const failure = (status: number, error: string, headers: Record<string, string> = {}) => ({
  status,
  json: { error, message: 'Internal error', request_id: '019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2' },
  headers: { 'x-request-id': '019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2', ...headers },
})

/** Leaves a request without an answer while the page is open. */
export async function hold(page: Page, path: string, method = 'GET') {
  if (isInPage(path)) await withoutFirstData(page)
  await page.route(under(path), (route: Route) => (route.request().method() === method ? undefined : route.fallback()))
}

/** All controllers look unreachable since ten minutes. */
export async function answerUnreachable(page: Page): Promise<void> {
  await withoutFirstData(page)
  const since = new Date(Date.now() - 600_000).toISOString()
  const unreachable = { state: 'unreachable', reachable: false, unreachable_since: since }
  await page.route(/\/api\/v2\/sites(\?|\/\d+$)/, async (route) => {
    const found = await (await route.fetch()).json()
    const sites = found.sites?.map((site: object) => ({ ...site, ...unreachable }))
    return route.fulfill({ json: sites ? { ...found, sites } : { ...found, ...unreachable } })
  })
}

/** Types the name and presses Enter. */
export async function create({ page, t, guest }: StateDesk): Promise<void> {
  await page.getByLabel(t('desk.for-whom')).fill(guest)
  await page.keyboard.press('Enter')
}

/** The newest voucher of the list as the answer to a creation. */
export async function answerWithVoucher(desk: StateDesk, changes: object = {}): Promise<void> {
  const { vouchers } = await desk.page.evaluate<{ vouchers: object[] }>(
    `fetch('/api/v2/vouchers?limit=1').then((answer) => answer.json())`,
  )
  const voucher = { ...vouchers[0], ...newVoucher, created_at: new Date().toISOString(), ...changes }
  await answer(desk.page, '/vouchers', { status: 201, json: voucher }, 'POST')
}

const newVoucher = { id: '1-019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2', code: '4827391056', formatted_code: '48273-91056' }
