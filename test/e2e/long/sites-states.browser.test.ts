import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure, hold } from './desk-for-states.ts'

const app = await startWebApp()
const browser = await startBrowser()
const long = 'Kurhotel und Seminarzentrum Goldener Adler am Wolfgangsee mit Gästehaus und Strandbad'
const site = await seedSite(app.db, { name: long })
const { session } = await seedPerson(app.db, { role: 'admin' })
const { rows } = await app.db.query<{ id: string }>('select controller_id as id from sites where id = $1', [site])
const controller = rows[0]?.id as string

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  path: string
  prepare?: (page: Page) => Promise<unknown>
  shows: (page: Page, t: Words) => Promise<unknown>
}

const text = (key: string) => (page: Page, t: Words) => page.getByText(t(key)).first().waitFor()
const alert = (page: Page) => page.getByRole('alert').first().waitFor()
const busy = (page: Page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor()
const internal = failure(500, 'internal_error')

const one = {
  id: 1,
  name: 'Hotel am Park',
  active: true,
  state: 'reachable',
  reachable: true,
  unreachable_since: null,
  unreachable_reason: null,
  controller_id: '019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d',
  controller_name: 'unifi-01',
  synced_at: new Date().toISOString(),
  sync_failure: null,
  sync_failing_since: null,
  recent_vouchers: 1940,
  unrecorded_vouchers: 0,
  time_zone: 'Europe/Vienna',
}
const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
/** 300 sites on 30 controllers, of which three fail in different ways. */
const many = Array.from({ length: 300 }, (_, n) => {
  const number = Math.floor(n / 10) + 1
  const place = { controller_id: one.controller_id.slice(0, -2) + (10 + number), controller_name: `unifi-${number}` }
  const out = { reachable: false, unreachable_since: hourAgo }
  const states = [
    { ...out, state: 'unreachable', unreachable_reason: 'connection_refused' },
    { ...out, state: 'certificate', unreachable_reason: 'certificate_changed' },
    { state: 'sign_in_refused', sync_failure: 'sign_in', sync_failing_since: hourAgo },
    { state: 'failing', sync_failure: 'missing', sync_failing_since: hourAgo },
    { state: 'unknown', synced_at: null },
    { state: 'inactive', active: false },
  ]
  return { ...one, id: n + 1, name: n === 0 ? long : `Hotel ${n + 1}`, ...place, ...states[number - 1] }
})
const listed = (sites: object[]) => (page: Page) => answer(page, '/sites', { json: { sites, next_cursor: null } })

const states: Record<string, State> = {
  none: { path: '/sites', prepare: listed([]), shows: text('sites-page.none') },
  loading: { path: '/sites', prepare: (page) => hold(page, '/sites'), shows: busy },
  failed: { path: '/sites', prepare: (page) => answer(page, '/sites', internal), shows: alert },
  one: { path: '/sites', prepare: listed([one]), shows: (page) => page.getByText('Hotel am Park').last().waitFor() },
  many: { path: '/sites', prepare: listed(many), shows: (page) => page.getByText('unifi-1').first().waitFor() },
  'no match': { path: '/sites?q=nowhere', prepare: listed(many), shows: text('table.no-match') },
  'site loading': { path: `/sites/${site}`, prepare: (page) => hold(page, `/sites/${site}`), shows: busy },
  'site failed': { path: `/sites/${site}`, prepare: (page) => answer(page, `/sites/${site}`, internal), shows: alert },
  'site, its controller failed': {
    path: `/sites/${site}`,
    prepare: (page) => answer(page, `/controllers/${controller}`, internal),
    shows: alert,
  },
  'site, sync failed': {
    path: `/sites/${site}`,
    prepare: (page) => answer(page, `/sites/${site}/sync`, internal, 'POST'),
    shows: async (page, t) => {
      await page.getByRole('button', { name: t('sites-page.sync') }).click()
      await alert(page)
    },
  },
  'site with vouchers that are not recorded': {
    path: `/sites/${site}`,
    prepare: (page) =>
      answer(page, `/sites/${site}`, { json: { ...one, id: site, controller_id: controller, unrecorded_vouchers: 5 } }),
    shows: text('sites-page.unrecorded-text_other'),
  },
  'site without credentials': { path: `/sites/${site}`, shows: text('sites-page.not-stored') },
  'site renamed': {
    path: `/sites/${site}`,
    shows: async (page, t) => {
      await page.getByRole('button', { name: t('sites-page.rename') }).click()
      await page.getByRole('dialog').getByLabel(t('sites-page.name')).fill('')
      await page.getByRole('button', { name: t('actions.save') }).click()
      await page.getByText(t('sites-page.name-missing')).waitFor()
    },
  },
  controller: { path: `/sites/controllers/${controller}`, shows: text('connection-test.title') },
  'controller changed': {
    path: `/sites/controllers/${controller}`,
    shows: async (page, t) => {
      await page.getByRole('button', { name: t('sites-page.edit-controller') }).click()
      await page.getByRole('dialog').getByLabel(t('sites-page.address')).fill('https://10.0.0.9')
      await page.getByRole('button', { name: t('actions.save') }).click()
      await page.getByText(t('sites-page.secret-for-address')).waitFor()
    },
  },
  add: { path: '/sites/add', shows: text('sites-page.which-controller') },
  'add, first controller': {
    path: '/sites/add',
    prepare: (page) => answer(page, '/controllers', { json: { controllers: [], next_cursor: null } }),
    shows: text('sites-page.new-controller'),
  },
}

test.each(
  (['en', 'de'] as Language[]).flatMap((language) =>
    Object.entries(states).map(([name, state]) => ({ language, name, state })),
  ),
)('sites, $name, $language', async ({ language, name, state: { path, prepare, shows } }) => {
  const { locale, t } = wordsOf(language)
  const page = await openPage(browser, { url: app.url, session, locale })
  await prepare?.(page)
  await page.goto(path)
  await shows(page, t)

  await expectUsable(page, `sites ${name} ${language}`)
  await page.context().close()
})
