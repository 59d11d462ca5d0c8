import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { revokeKey } from '#domain/keys/administer-keys.ts'
import { rollKey } from '#domain/keys/roll-key.ts'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedKey, seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure, hold } from './desk-for-states.ts'

const app = await startWebApp()
const browser = await startBrowser()
const sites = [await seedSite(app.db, { name: 'Hotel Goldener Adler' }), await seedSite(app.db, { name: 'Seehotel' })]
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const longName = 'Veranstaltungsteam Herbstmesse mit Kassen, Kiosken und Drehkreuzen am Haupteingang Nord'
const keys = {
  checkIn: await seedKey(app.db, { name: 'Check-in (PMS)', scope: 'write', rateLimit: 120, expiresAt: inDays(200) }),
  kiosk: await seedKey(app.db, { name: 'Kiosk lobby', scope: 'write', rateLimit: 30, siteIds: [sites[0] as number] }),
  event: await seedKey(app.db, { name: longName, scope: 'manage', siteIds: sites, expiresAt: inDays(5) }),
  monitoring: await seedKey(app.db, { name: 'Monitoring', rateLimit: 100_000 }),
  old: await seedKey(app.db, { name: 'Old check-in', scope: 'write', expiresAt: inDays(-3) }),
  revoked: await seedKey(app.db, { name: 'Older check-in', scope: 'write' }),
}
await seedDays(keys.checkIn.id, [40, 44, 38, 52, 60, 71, 66, 40, 43, 50, 62, 70, 77, 61], 0)
await seedDays(keys.kiosk.id, [3, 5, 4, 8, 12, 10, 30, 6, 5, 4, 10, 38, 14, 20], 3)
await seedDays(keys.revoked.id, [40, 30, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0)
await rollKey(app.db, testActor, { named: keys.kiosk.id, currentPrefix: undefined, oldValidUntil: inDays(2) })
await revokeKey(app.db, testActor, keys.revoked.id)

async function seedDays(id: string, requests: number[], limited: number): Promise<void> {
  await app.db.query(
    `insert into api_key_days (api_key_id, day, requests, limited)
     select $1, $2::date - 13 + day::integer - 1, requests, $4 from unnest($3::integer[]) with ordinality as d (requests, day)`,
    [id, app.context.today(new Date()), requests, limited],
  )
}

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  path?: string
  role?: 'admin' | 'manager'
  prepare?: (page: Page) => Promise<unknown>
  shows: (page: Page, t: Words) => Promise<unknown>
}

const row = (page: Page) => page.getByText('Kiosk lobby').first().waitFor()
const act = (action: string) => async (page: Page, t: Words) => {
  await page.getByRole('button', { name: t('table.acts', { name: 'Kiosk lobby' }) }).click()
  await page.getByRole('menuitem', { name: t(action) }).click()
  await page.getByRole('dialog').waitFor()
}
const create = async (page: Page, t: Words) => {
  await row(page)
  await page.getByRole('button', { name: t('keys-page.new') }).click()
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: t('keys-page.name') })
    .waitFor()
}
const submit = (page: Page, t: Words) => page.getByRole('button', { name: t('keys-page.create') }).click()
const fill = async (page: Page, t: Words) => {
  await create(page, t)
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: t('keys-page.name') })
    .fill('Neu')
  await submit(page, t)
}

const states: Record<string, State> = {
  'keys loading': {
    prepare: (page) => hold(page, '/keys'),
    shows: (page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor(),
  },
  'keys failed': { prepare: (page) => answer(page, '/keys', failure(500, 'internal_error')), shows: alert },
  'keys no right': { role: 'manager', shows: (page, t) => page.getByText(t('errors.no-right')).waitFor() },
  'keys empty': {
    prepare: (page) => answer(page, '/keys', { json: { keys: [], next_cursor: null } }),
    shows: (page, t) => page.getByText(t('keys-page.empty')).waitFor(),
  },
  'keys no match': { path: '/keys?q=nothing', shows: (page, t) => page.getByText(t('keys-page.no-match')).waitFor() },
  'keys list': { shows: row },
  'keys of a site': { path: `/keys?site=${sites[1]}`, shows: (page) => page.getByText('Monitoring').waitFor() },
  'key details': {
    path: `/keys?key=${keys.kiosk.id}`,
    shows: (page, t) => page.getByText(t('keys-page.old-title')).waitFor(),
  },
  'key create': { shows: create },
  'key create wrong': {
    shows: async (page, t) => {
      await create(page, t)
      await page.getByRole('radio', { name: 'manage' }).check()
      await page.getByRole('radio', { name: t('sites.some') }).check()
      await page.getByRole('combobox', { name: t('keys-page.expires') }).click()
      await page.getByRole('option', { name: t('keys-page.expiry-never') }).click()
      await submit(page, t)
      await page.getByText(t('keys-page.wrong-name')).waitFor()
      await page.getByText(t('keys-page.wrong-manage')).waitFor()
      await page.getByText(t('keys-page.wrong-sites')).waitFor()
    },
  },
  'key create failed': {
    prepare: (page) => answer(page, '/keys', failure(500, 'internal_error'), 'POST'),
    shows: async (page, t) => {
      await fill(page, t)
      await alert(page)
    },
  },
  'key created': {
    shows: async (page, t) => {
      await fill(page, t)
      await page.getByText(t('keys-page.stored')).waitFor()
    },
  },
  'key edit': { shows: act('keys-page.edit') },
  'key roll': { shows: act('keys-page.roll') },
  'key rolled by somebody else': {
    prepare: (page) => answer(page, '/keys/[^/]+/roll', failure(409, 'key_rolled'), 'POST'),
    shows: async (page, t) => {
      await act('keys-page.roll')(page, t)
      await page.getByRole('button', { name: t('keys-page.roll-submit') }).click()
      await alert(page)
    },
  },
  'key revoke': { shows: act('keys-page.revoke') },
}

async function alert(page: Page) {
  await page.getByRole('alert').first().waitFor()
}

for (const language of ['de', 'en'] as Language[])
  test.for(Object.entries(states))(
    `%s, in ${language}`,
    async ([name, { path = '/keys', role = 'admin', prepare, shows }]) => {
      const { locale, t } = wordsOf(language)
      const { session } = await seedPerson(app.db, { name: 'Katrin Vogt', role })
      const page = await openPage(browser, { url: app.url, session, locale })
      await prepare?.(page)
      await page.goto(path)
      await shows(page, t)

      await expectUsable(page, `${name}.${language}`)
      await page.context().close()
    },
  )

test('a key with an expiry in 5 days and one with more than 10 rejected requests stand out; revoked ones are last', async () => {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/keys')
  await row(page)

  const rows = await page.getByRole('row').allTextContents()
  expect(rows.at(-1)).toContain('Older check-in')
  expect(rows.find((text) => text.includes(longName))).toContain('in 5 days')
  expect(rows.find((text) => text.includes('Kiosk'))).toContain('42')
})

test('a repeat after a lost answer creates no second key, and the message names the first', async () => {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const page = await openPage(browser, { url: app.url, session })
  const { t } = wordsOf('en')
  let isLost = true
  await page.route(/\/api\/v2\/keys$/, async (route) => {
    if (route.request().method() !== 'POST' || !isLost) return route.fallback()
    isLost = false
    await route.fetch()
    return route.abort()
  })
  await page.goto('/keys')
  await create(page, t)
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: t('keys-page.name') })
    .fill('Lost answer')
  await submit(page, t)
  await alert(page)
  await submit(page, t)

  await page.getByText(/was already created/).waitFor()
  const { rowCount } = await app.db.query(`select from api_keys where name = 'Lost answer'`)
  expect(rowCount).toBe(1)
})
