import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { seedSite } from '#test/data/seed.ts'
import { openPage } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, answerUnreachable, failure, hold, namesIn, startDesks } from './desk-for-states.ts'

const { app, browser, sites, openAs } = await startDesks()
const emptySite = await seedSite(app.db, { name: 'Pension Alpenblick' })

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  path: string
  /** The person who is signed in, with these sites, or nobody. */
  siteIds?: number[] | 'all'
  prepare?: (page: Page) => Promise<unknown>
  /** Something that is visible once the page is in this state. */
  shows: (page: Page, t: Words) => Promise<unknown>
}

const text = (key: string) => (page: Page, t: Words) => page.getByText(t(key)).first().waitFor()
const skeleton = (page: Page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor()
const alert = (page: Page) => page.getByRole('alert').first().waitFor()
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()
const internal = failure(500, 'internal_error')
const mine = [sites.de]
const two = [sites.de, sites.en]

const pagesForNobody = ['/sign-in', '/first-run', '/password#token', '/desk']

const states: Record<string, State> = {
  ...Object.fromEntries(
    pagesForNobody.flatMap((path): [string, State][] => [
      [`${path.slice(1, 9)} loading`, { path, prepare: (page) => hold(page, '/session'), shows: text('app.loading') }],
      [
        `${path.slice(1, 9)} failed`,
        { path, prepare: (page) => answer(page, '/session', internal), shows: text('errors.failed') },
      ],
    ]),
  ),
  'sign-in failed to answer': {
    path: '/sign-in',
    prepare: (page) => answer(page, '/session', internal, 'POST'),
    shows: async (page, t) => {
      await page.getByLabel(t('sign-in.email')).fill('anna@adler.example')
      await page.getByLabel(t('sign-in.password'), { exact: true }).fill('wrong')
      await page.keyboard.press('Enter')
      await alert(page)
    },
  },
  'unknown path': { path: '/nowhere', shows: text('not-found.title') },
  'desk sites loading': { path: '/desk', siteIds: mine, prepare: (page) => hold(page, '/sites'), shows: skeleton },
  'desk sites failed': {
    path: '/desk',
    siteIds: mine,
    prepare: (page) => answer(page, '/sites', internal),
    shows: alert,
  },
  'desk form loading': { path: '/desk', siteIds: mine, prepare: (page) => hold(page, '/templates'), shows: skeleton },
  'desk form failed': {
    path: '/desk',
    siteIds: mine,
    prepare: (page) => answer(page, '/sites/\\d+/guest-info', internal),
    shows: alert,
  },
  'desk list loading': {
    path: '/desk',
    siteIds: mine,
    prepare: (page) => hold(page, '/vouchers'),
    shows: (page) => page.locator('section .mantine-Skeleton-root').waitFor(),
  },
  'desk list failed': {
    path: '/desk',
    siteIds: mine,
    prepare: (page) => answer(page, '/vouchers', internal),
    shows: alert,
  },
  'desk no template, no voucher': {
    path: '/desk',
    siteIds: [emptySite],
    shows: async (page, t) => {
      await text('desk.no-templates')(page, t)
      await text('desk.recent-empty')(page, t)
    },
  },
  'desk no site': { path: '/desk', siteIds: [], shows: text('desk.no-site-desk') },
  'desk no site, administrator': {
    path: '/desk',
    siteIds: 'all',
    prepare: (page) => answer(page, '/sites', { json: { sites: [], next_cursor: null } }),
    shows: text('desk.no-site-admin'),
  },
  'desk all sites': { path: '/desk', siteIds: two, shows: text('desk-site.label') },
  'desk all sites, another chosen': {
    path: '/desk',
    siteIds: two,
    shows: async (page, t) => {
      await page
        .getByRole('group', { name: t('desk-site.label') })
        .getByText(namesIn.en.site)
        .click()
      await page.getByText('93685-87509').waitFor()
    },
  },
  'desk foreign site': { path: '/desk?site=9999', siteIds: two, shows: text('desk.site-inactive') },
  'desk site out of reach': {
    path: '/desk',
    siteIds: mine,
    prepare: answerUnreachable,
    shows: text('outage.go-on'),
  },
  'many site out of reach': {
    path: '/desk?many=new',
    siteIds: mine,
    prepare: answerUnreachable,
    shows: text('outage.go-on'),
  },
  'desk check a code of two sites': {
    path: '/desk',
    siteIds: two,
    shows: async (page, t) => {
      await page.getByRole('textbox', { name: t('desk.check') }).fill('93685-87509')
      await page.keyboard.press('Enter')
      await page.getByText(t('check.at', { site: namesIn.de.site })).waitFor()
    },
  },
  'me loading': {
    path: '/me',
    siteIds: mine,
    prepare: (page) => hold(page, '/me/sessions'),
    shows: (page) => page.locator('.mantine-Skeleton-root').waitFor(),
  },
  'me failed': { path: '/me', siteIds: mine, prepare: (page) => answer(page, '/me/sessions', internal), shows: alert },
  'me no right': {
    path: '/me',
    siteIds: mine,
    prepare: (page) => answer(page, '/me/sessions', failure(403, 'role_missing')),
    shows: text('errors.no-right'),
  },
}

/** A page where nobody is signed in, or a person with these sites. */
async function open(language: Language, siteIds: State['siteIds']): Promise<{ page: Page; t: Words }> {
  if (siteIds === 'all') return openAs(language, { role: 'admin' })
  if (siteIds) return openAs(language, { siteIds })
  const { locale, t } = wordsOf(language)
  return { page: await openPage(browser, { url: app.url, locale }), t }
}

for (const language of ['de', 'en'] as const)
  test.for(Object.entries(states))(`%s, in ${language}`, async ([name, { path, siteIds, prepare, shows }]) => {
    const { page, t } = await open(language, siteIds)
    await prepare?.(page)
    await page.goto(path)
    await shows(page, t)

    await expectUsable(page, `${name}.${language}`)
    await page.context().close()
  })

test.each([1440, 390] as const)('the list of sites at %i px, with a search', async (width) => {
  const { page, t } = await openAs('de', { siteIds: two })
  await page.setViewportSize({ width, height: 900 })
  await page.goto('/desk')
  await page.getByRole('button', { name: t('sites.all', { count: 2 }) }).click()
  await page.getByRole('option', { name: namesIn.de.site }).waitFor()

  await expectAccessible(page, 'sites open.de', { widths: [width] })
})

test('a form that was filled in but not sent is there again after a reload, for each site', async () => {
  const { page, t } = await openAs('de', { siteIds: two })
  const name = page.getByLabel(t('desk.for-whom'))
  await page.goto(`/desk?site=${sites.de}`)
  await name.fill('Zimmer 204')
  await page.getByRole('radio', { name: '3 Tage' }).check({ force: true })
  await page.goto(`/desk?site=${sites.en}`)
  await heading(page)
  expect(await name.inputValue()).toBe('')
  await page.goto(`/desk?site=${sites.de}`)
  await page.reload()
  await name.waitFor()

  expect(await name.inputValue()).toBe('Zimmer 204')
  expect(await page.getByRole('radio', { name: '3 Tage' }).isChecked()).toBe(true)
})
