import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { seedSite } from '#test/data/seed.ts'
import type { Language } from '../words.ts'
import { answer, failure, hold, startDesks } from './desk-for-states.ts'

const { app, sites, openAs } = await startDesks()
const emptySite = await seedSite(app.db, { name: 'Pension Alpenblick' })
const { rows } = await app.db.query<{ id: string; siteId: number }>(
  `select id, site_id as "siteId" from vouchers where code = '4674028861'`,
)
const usedVoucher = (language: Language) => {
  const found = rows.find(({ siteId }) => siteId === sites[language])
  return `${found?.siteId}-${found?.id}`
}

type Words = (key: string, values?: Record<string, string | number>) => string
type State = {
  /** The part of the address after `/vouchers`. */
  query?: string | ((language: Language) => string)
  siteIds?: number[]
  prepare?: (page: Page) => Promise<unknown>
  /** Brings the page into this state and waits until it is visible. */
  act: (page: Page, t: Words) => Promise<unknown>
  /** The only width to check, for a state that looks different on a phone and on a wide screen. */
  width?: 1440 | 390
}

const text = (key: string) => (page: Page, t: Words) => page.getByText(t(key)).first().waitFor()
const listed = (page: Page) => page.getByText('93685-87509').first().waitFor()
const revocationId = '019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2'
const revocation = (counts: object) => ({
  json: {
    id: revocationId,
    created_at: new Date(Date.now() - 60_000).toISOString(),
    state: 'done',
    ...{ total: 3, pending: 0, revoked: 0, ended: 0, kept: 0, failed: 0 },
    ...counts,
  },
})
const revoking = (counts: object) => (page: Page) => answer(page, `/revocations/${revocationId}`, revocation(counts))
const select = async (page: Page) => {
  await listed(page)
  for (const index of [1, 2]) await page.getByRole('checkbox').nth(index).check()
}

const states: Record<string, State> = {
  list: { act: listed },
  'two sites, filtered': {
    query: '?status=valid,used&created=30d',
    siteIds: [sites.de, sites.en],
    act: listed,
  },
  none: { siteIds: [emptySite], act: text('vouchers.none') },
  'no match': { query: '?q=Konferenz&status=valid&created=7d&reference=R-1', act: text('table.no-match') },
  loading: {
    prepare: (page) => hold(page, '/vouchers'),
    act: (page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor(),
  },
  failed: {
    prepare: (page) => answer(page, '/vouchers', failure(500, 'internal_error')),
    act: (page) => page.getByRole('alert').first().waitFor(),
  },
  'sites failed': {
    prepare: (page) => answer(page, '/sites', failure(500, 'internal_error')),
    act: (page) => page.getByRole('alert').first().waitFor(),
  },
  'search too slow': {
    query: '?q=zx',
    prepare: (page) => answer(page, '/vouchers', failure(503, 'search_too_slow')),
    act: text('vouchers.too-slow'),
  },
  'too many searches': {
    query: '?q=zx',
    prepare: (page) => answer(page, '/vouchers', failure(429, 'searches_too_many')),
    act: text('vouchers.too-many'),
  },
  'export while another one runs': {
    prepare: (page) => answer(page, '/vouchers.csv', failure(429, 'searches_too_many', { 'retry-after': '2' })),
    act: async (page, t) => {
      await listed(page)
      await page.getByRole('button', { name: t('vouchers.export') }).click()
      await page.getByRole('menuitem', { name: t('vouchers.export-spreadsheet') }).click()
      await page.getByText(t('errors.not-exported')).waitFor()
    },
  },
  'export too large': {
    prepare: (page) => answer(page, '/vouchers.csv', failure(400, 'export_too_large')),
    act: async (page, t) => {
      await listed(page)
      await page.getByRole('button', { name: t('vouchers.export') }).click()
      await page.getByRole('menuitem', { name: t('vouchers.export-spreadsheet') }).click()
      await page.getByText(t('vouchers.export-too-large')).waitFor()
    },
  },
  drawer: {
    query: (language) => `?voucher=${usedVoucher(language)}`,
    act: text('vouchers.created-on-controller'),
  },
  'voucher not found': {
    query: `?voucher=1-${revocationId}`,
    prepare: (page) => answer(page, `/vouchers/1-${revocationId}`, failure(404, 'not_found')),
    act: text('vouchers.not-found'),
  },
  selected: { width: 1440, act: select },
  'asking before revoking': {
    width: 1440,
    act: async (page, t) => {
      await select(page)
      await page.getByRole('button', { name: t('vouchers.revoke_other', { count: 2 }) }).click()
      await page.getByRole('button', { name: t('vouchers.revoke-submit_other', { count: 2 }) }).waitFor()
    },
  },
  'selecting on a phone': {
    width: 390,
    act: async (page, t) => {
      await listed(page)
      await page.getByRole('button', { name: t('vouchers.select'), exact: true }).click()
      await page.getByRole('checkbox').first().check()
    },
  },
  'filters on a phone': {
    width: 390,
    act: async (page, t) => {
      await listed(page)
      await page.getByRole('button', { name: t('vouchers.filters') }).click()
      await page.getByRole('button', { name: t('vouchers.source') }).waitFor()
    },
  },
  'more filters': {
    width: 1440,
    act: async (page, t) => {
      await listed(page)
      await page.getByRole('button', { name: t('vouchers.more') }).click()
      await page.getByLabel(t('vouchers.reference')).waitFor()
    },
  },
  'revocation done': {
    query: `?revocation=${revocationId}`,
    prepare: revoking({ revoked: 2, ended: 1 }),
    act: (page, t) => page.getByText(t('vouchers.revoked-count_other', { count: 2 })).waitFor(),
  },
  'revocation waits': {
    query: `?revocation=${revocationId}`,
    prepare: revoking({ state: 'running', revoked: 1, pending: 2 }),
    act: (page, t) => page.getByText(t('vouchers.revoke-waits_other', { count: 2 })).waitFor(),
  },
  'revocation failed': {
    query: `?revocation=${revocationId}`,
    prepare: async (page) => {
      await revoking({ revoked: 2, failed: 1 })(page)
      const row = { voucher_id: usedVoucher('de'), outcome: 'failed', failure: 'no_id' }
      await answer(page, `/revocations/${revocationId}/rows`, { json: { rows: [row], next_cursor: null } })
    },
    siteIds: [sites.de, sites.en],
    act: (page, t) => page.getByRole('button', { name: t('vouchers.revoke-again_one', { count: 1 }) }).waitFor(),
  },
}

const cases = Object.entries(states).flatMap(([name, state]) =>
  (['de', 'en'] as const).map((language) => ({ name, language, ...state })),
)

test.each(cases)('$name, $language', async ({ name, language, query = '', siteIds, prepare, act, width }) => {
  const { page, t } = await openAs(language, siteIds && { siteIds })
  if (width) await page.setViewportSize({ width, height: 900 })
  await prepare?.(page)
  await page.goto(`/vouchers${typeof query === 'function' ? query(language) : query}`)
  await act(page, t)

  if (width) await expectAccessible(page, `vouchers ${name}.${language}`, { widths: [width] })
  else await expectUsable(page, `vouchers ${name}.${language}`)
  await page.context().close()
})

test('in German, no column runs into the next one, and the filters have one row at 1,024 px', async () => {
  const { page, t } = await openAs('de', { siteIds: [sites.de, sites.en] })
  await page.goto('/vouchers')
  await listed(page)
  const tooWide = `[...document.querySelectorAll('td')].filter((cell) => cell.textContent !== ''
    && cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).overflow === 'visible').map((cell) => cell.textContent)`
  expect(await page.evaluate(tooWide)).toEqual([])

  await page.setViewportSize({ width: 1024, height: 900 })
  const top = async (name: string) => (await page.getByRole('button', { name, exact: true }).boundingBox())?.y
  expect(await top(t('vouchers.export'))).toBe(await top(t('vouchers.status')))
})

test('a long press on a phone begins selecting, and does not open the voucher', async () => {
  const { page } = await openAs('en')
  await page.setViewportSize({ width: 390, height: 900 })
  await page.goto('/vouchers')
  await listed(page)
  const row = page.getByRole('listitem').first().getByRole('button')

  await row.dispatchEvent('touchstart')
  await page.getByText('1 selected').waitFor()
  await row.dispatchEvent('touchend')
  await row.dispatchEvent('click')

  expect(await page.getByText('1 selected').isVisible()).toBe(true)
  expect(page.url()).not.toContain('voucher=')
  await row.click()
  await page.getByText('0 selected').waitFor()
})
