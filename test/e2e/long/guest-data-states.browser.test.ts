import type { Page } from 'playwright-core'
import { describe, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure, hold, namesIn } from './desk-for-states.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
const site = await seedSite(db, { name: 'Kurhotel und Seminarzentrum Goldener Adler am Wolfgangsee' })
const admin = await seedPerson(db, { role: 'admin', name: 'Katrin Vogt' })

const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
const guest = (name: string, vouchers: number, valid = 0) => ({
  site_id: site,
  site: 'Kurhotel und Seminarzentrum Goldener Adler am Wolfgangsee',
  name,
  reference: vouchers === 1 ? 'Buchung 2026-4711-Oberösterreich' : null,
  vouchers,
  valid,
  last_at: days(-3),
})
const place = (place: string, entries: number, webhook: string | null, ...fields: string[]) => ({
  place,
  webhook,
  fields,
  entries,
  until: entries === 3 ? null : days(36),
})
const places = [
  place('vouchers', 3, null, 'name', 'reference'),
  place('creations', 1, null, 'name', 'reference'),
  place('batch_rows', 1_204, null, 'name'),
  place('events', 6, 'Property-Management-System des Kurhotels', 'reference'),
  place('controller', 3, null, 'name'),
  place('moon_base', 2, null, 'name', 'shoe_size'), // of a newer service
]
const receipt = (number: number, change: object = {}) => ({
  id: `01a1f1d5-33d8-7780-81cf-35f27407bad${number}`,
  at: days(-number),
  by: 'Katrin Vogt',
  reason: 'guest_asked',
  vouchers: 3,
  entries: 1_216,
  waiting: 0,
  finished_at: days(-number),
  ...change,
})
const receipts = [
  receipt(0, { waiting: 2, finished_at: null }),
  receipt(1, { reason: 'mistake', by: 'Property-Management-System des Kurhotels' }),
  receipt(2, { reason: 'court_order', entries: 1 }), // of a newer service
]

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  /** The guests that are found. */
  guests?: ReturnType<typeof guest>[]
  /** The vouchers that still work. */
  valid?: number
  prepare?: (page: Page) => Promise<unknown>
  shows: (page: Page, t: Words, language: Language) => Promise<unknown>
  /** A dialog fills the screen of a phone, so it is opened anew for each width. */
  isDialog?: boolean
}

const internal = failure(500, 'internal_error')
const search = async (page: Page, t: Words, words = 'Hu') => {
  await page.getByLabel(t('guest-data.name-or-reference')).fill(words)
  await page.keyboard.press('Enter')
}
const tickAll = async (page: Page, t: Words) => {
  await search(page, t)
  const hits = page.getByRole('group', { name: t('guest-data.guests-found') }).getByRole('checkbox')
  await hits.first().waitFor()
  for (const hit of await hits.all()) await hit.check()
}
const openDialog = async (page: Page, t: Words) => {
  await tickAll(page, t)
  await page.getByRole('button', { name: t('guest-data.erase-several_other', { count: 2 }) }).click()
  await page.getByRole('dialog').getByText(t('guest-data.stays')).waitFor()
}
const submit = (page: Page) => page.getByRole('dialog').locator('[type=submit]').click()
const twoHubers = [guest('Familie Huber', 3), guest('Huber, Sabine', 1, 1)]
const alert = (page: Page) => page.getByRole('alert').first().waitFor()

const states: Record<string, State> = {
  nothing: { shows: (page, t) => page.getByText(t('guest-data.erasures')).waitFor() },
  'receipts failed': { prepare: (page) => answer(page, '/erasures', internal), shows: alert },
  'receipts empty': {
    prepare: (page) => answer(page, '/erasures', { json: { erasures: [], next_cursor: null } }),
    shows: (page, t) => page.getByText(t('guest-data.no-erasures')).waitFor(),
  },
  short: {
    shows: async (page, t) => {
      await search(page, t, 'x')
      await page.getByText(t('guest-data.search-missing')).waitFor()
    },
  },
  'search failed': {
    prepare: (page) => answer(page, '/guests/search', internal, 'POST'),
    shows: async (page, t) => {
      await search(page, t)
      await alert(page)
    },
  },
  nobody: {
    guests: [],
    shows: async (page, t) => {
      await search(page, t)
      await page.getByText(t('guest-data.none-found')).waitFor()
    },
  },
  'one found': {
    guests: [guest('Familie Huber', 3)],
    shows: async (page, t) => {
      await search(page, t)
      await page.getByRole('table', { name: t('guest-data.stored') }).waitFor()
    },
  },
  'stored loading': {
    prepare: (page) => hold(page, '/guests/stored', 'POST'),
    shows: async (page, t) => {
      await tickAll(page, t)
      await page.locator('.mantine-Skeleton-root').first().waitFor()
    },
  },
  'stored failed': {
    prepare: (page) => answer(page, '/guests/stored', failure(429, 'too_many'), 'POST'),
    shows: async (page, t) => {
      await tickAll(page, t)
      await alert(page)
    },
  },
  'export failed': {
    prepare: (page) => answer(page, '/guests/export', internal, 'POST'),
    shows: async (page, t, language) => {
      await tickAll(page, t)
      await page
        .getByRole('button', { name: t('guest-data.export_other', { number: language === 'de' ? '1.219' : '1,219' }) })
        .click()
      await alert(page)
    },
  },
  'several ticked': { shows: tickAll },
  dialog: { shows: openDialog, isDialog: true },
  'dialog incomplete': {
    valid: 1,
    isDialog: true,
    shows: async (page, t) => {
      await openDialog(page, t)
      await submit(page)
      await page.getByText(t('guest-data.live-missing')).waitFor()
    },
  },
  'dialog revoke first': {
    valid: 1,
    isDialog: true,
    shows: async (page, t) => {
      await openDialog(page, t)
      await page.getByLabel(t('guest-data.live-refuse')).check()
      await page.getByText(t('guest-data.live-refuse-text')).waitFor()
    },
  },
  'dialog failed': {
    isDialog: true,
    prepare: (page) => answer(page, '/guests/erase', internal, 'POST'),
    shows: async (page, t) => {
      await openDialog(page, t)
      await page.getByLabel(t('guest-data.reason-other')).check()
      await submit(page)
      await alert(page)
    },
  },
  'dialog refused because of a list under way': {
    isDialog: true,
    prepare: (page) => answer(page, '/guests/erase', failure(409, 'voucher_still_valid'), 'POST'),
    shows: async (page, t) => {
      await openDialog(page, t)
      await page.getByLabel(t('guest-data.reason-other')).check()
      await submit(page)
      await page.getByLabel(t('guest-data.live-after_end'), { exact: true }).check()
    },
  },
  'dialog of the longest name': {
    guests: [guest(`${namesIn.en.guest} ${'w'.repeat(100)}`, 2)],
    isDialog: true,
    shows: async (page, t) => {
      await search(page, t)
      await page.getByRole('button', { name: namesIn.en.guest }).click()
      await page.getByRole('dialog').getByText(t('guest-data.stays')).waitFor()
    },
  },
  receipt: {
    shows: async (page, t) => {
      await openDialog(page, t)
      await page.getByLabel(t('guest-data.reason-guest_asked')).check()
      await submit(page)
      await page.getByText(t('guest-data.receipt-text')).waitFor()
    },
  },
}

async function open(language: Language, { guests = twoHubers, valid = 0, prepare, shows }: State, width: number) {
  const { locale, t } = wordsOf(language)
  const page = await openPage(browser, { url, session: admin.session, locale, width })
  const entries = places.reduce((sum, one) => sum + one.entries, 0)
  await answer(page, '/guests/search', { json: { guests, has_more: false } }, 'POST')
  await answer(page, '/guests/stored', { json: { entries, valid, places } }, 'POST')
  await answer(page, '/guests/erase', { json: { ...receipts[0], remains: [places[4]] } }, 'POST')
  await answer(page, '/erasures', { json: { erasures: receipts, next_cursor: null } })
  await prepare?.(page)
  await page.goto('/settings?tab=guest-data')
  await shows(page, t, language)
  return page
}

describe.each(['en', 'de'] as const)("guests' data in %s", (language) => {
  test.each(Object.entries(states))('%s', async (name, state) => {
    const label = `guest-data ${name}.${language}`
    if (!state.isDialog) return expectUsable(await open(language, state, 1440), label)
    for (const width of [1440, 390] as const)
      await expectAccessible(await open(language, state, width), label, { widths: [width] })
  })
})
