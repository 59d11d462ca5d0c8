import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, seedVoucher, testActor } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listenAsWorker, openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from './words.ts'

const long = test.runIf(isLong)

const app = await startWebApp()
await listenAsWorker(app.db.url)
const browser = await startBrowser()
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '1 day', expireMinutes: 1440, maxUses: 2 })
await addTemplate(app.db, testActor, { ...unlimited, name: '1 week', expireMinutes: 10_080, maxUses: 4 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const hour = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * hour)

/** A desk whose site has four guests: one in use, one not used yet, one whose stay has an end, and one whose time is over. */
async function openDesk(language: Language = 'en', width = 1440) {
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
  const add = (name: string, code: string, voucher: Parameters<typeof seedVoucher>[2]) =>
    seedVoucher(app.db, site, { name, code, maxUses: 2, expireMinutes: 1440, ...voucher })
  await add('Familie Huber · Zimmer 204', '5378574831', { createdAt: ago(2), usedCount: 1, expiresAt: ago(-6) })
  await add('Familie Yıldız · Zimmer 311', '9368587509', { createdAt: ago(3) })
  const stay = await add('Familie Berg', '1111122222', { createdAt: ago(4) })
  await app.db.query('update vouchers set valid_until = $2 where id = $1', [stay, ago(-48)])
  await add('Familie Kern · Zimmer 112', '2501062454', { createdAt: ago(50), status: 'expired', expiresAt: ago(26) })
  await add('Zimmer 12', '2222233333', {})
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const { locale, t } = wordsOf(language)
  const page = await openPage(browser, { url: app.url, session, locale, width })
  await page.goto('/desk')
  await field(page, t('desk.for-whom')).waitFor()
  return { page, site, controller, t }
}

const field = (page: Page, label = 'For whom?') => page.getByLabel(label, { exact: true })
const box = (page: Page) => page.getByRole('group', { name: / a voucher at this site$/ })
const rows = (page: Page) => box(page).getByRole('listitem')
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.value')

test('guests are found from two letters on, with their state; the sentence says what Enter does, and Enter creates', async () => {
  const { page, controller } = await openDesk()
  await field(page).fill('f')
  await page.getByText('New voucher for “f” · 1 day from first use · 2 devices').waitFor()
  expect(await box(page).count()).toBe(0)

  await field(page).pressSequentially('am')
  await rows(page).nth(2).waitFor()

  expect(await rows(page).allInnerTexts()).toEqual([
    expect.stringMatching(
      /^Familie Huber · Zimmer 204\s+53785-74831\s+in use until \S+\s+1 of 2 devices\s+Show\s+Print\s+Extend…$/,
    ),
    expect.stringMatching(
      /^Familie Yıldız · Zimmer 311\s+93685-87509\s+not used yet\s+1 day from first use\s+Show\s+Print$/,
    ),
    expect.stringMatching(/^Familie Berg\s+11111-22222\s+not used yet\s+until .*\s+Show\s+Print\s+Extend…$/),
  ])
  await page.getByRole('link', { name: '1 more, show in Vouchers' }).waitFor()
  await page.getByRole('status').filter({ hasText: '4 guests found' }).waitFor()
  await page.keyboard.type('ilie K')
  await expect
    .poll(() => rows(page).allInnerTexts())
    .toEqual([expect.stringMatching(/^Familie Kern · Zimmer 112\s+25010-62454\s+ended \S+ \S+\s+Show$/)])
  await page.getByText('Had a voucher at this site').waitFor()

  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()
  expect((await controller.vouchers()).map(({ name }) => name)).toEqual([expect.stringMatching(/Familie K$/i)])
})

long('arrows lead to the actions and back to the field with its text; Enter on Show opens the voucher', async () => {
  const { page } = await openDesk()
  await field(page).fill('familie')
  await rows(page).nth(2).waitFor()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
    return focused(page)
  }

  expect(await press('ArrowDown')).toBe('Show the voucher of Familie Huber · Zimmer 204')
  expect(await press('ArrowRight', 'ArrowRight', 'ArrowRight')).toBe('Extend the voucher of Familie Huber · Zimmer 204')
  expect(await press('ArrowLeft')).toBe('Print the voucher of Familie Huber · Zimmer 204')
  expect(await press('ArrowDown')).toBe('Show the voucher of Familie Yıldız · Zimmer 311')
  expect(await press('ArrowUp', 'ArrowUp')).toBe('familie')
  expect(await press('ArrowDown', 'ArrowDown', 'Escape')).toBe('familie')
  await press('ArrowDown', 'Enter')
  await page.getByRole('heading', { name: 'Voucher', exact: true }).waitFor()
  await page.getByText('53785-74831').first().waitFor()
  await page.getByRole('button', { name: 'Back to the form' }).click()
  expect(await field(page).inputValue()).toBe('familie')
})

long('Alt and a digit choose a template while somebody types, and the text stays', async () => {
  const { page } = await openDesk()
  await field(page).fill('familie')

  await page.keyboard.press('Alt+2')
  await page.getByText('New voucher for “familie” · 1 week from first use · 4 devices').waitFor()
  expect(await focused(page)).toBe('familie')
  await page.getByText('Alt 2').waitFor()
  await page.getByRole('radio', { name: '1 week' }).focus()
  await page.getByText('Alt 2').waitFor({ state: 'detached' })
  await page.keyboard.press('1')
  await page.getByText('New voucher for “familie” · 1 day from first use · 2 devices').waitFor()
})

test('Print prints at once, and Extend opens its dialog, whose keys do not move the focus behind it', async () => {
  const { page } = await openDesk()
  await page.evaluate('window.print = () => { window.printed = document.querySelector(".vs-print").textContent }')
  await field(page).fill('familie')

  await page.getByRole('button', { name: 'Print the voucher of Familie Yıldız · Zimmer 311' }).click()
  await expect.poll(() => page.evaluate('window.printed')).toContain('93685-87509')
  await page.getByRole('button', { name: 'Extend the voucher of Familie Huber · Zimmer 204' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(await field(page).inputValue()).toBe('familie')
})

long('a press in the dialog of a guest that was found does not reach the form behind it', async () => {
  const { page } = await openDesk()
  const creations: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v2/vouchers')) creations.push(request.url())
  })
  await field(page).fill('familie')
  await page.getByRole('button', { name: 'Extend the voucher of Familie Huber · Zimmer 204' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End earlier…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^End on/ })
    .click()
  await page.waitForTimeout(300) // a press that reached the form would be sent by then
  await page.keyboard.press('Escape')

  expect(creations).toEqual([])
  expect(await field(page).inputValue()).toBe('familie')
})

long('nothing below the box moves while somebody types, until the field is empty', async () => {
  const { page } = await openDesk()
  const top = async () => (await page.getByText('Template', { exact: true }).first().boundingBox())?.y
  const before = await top()
  await field(page).fill('fam')
  await rows(page).nth(2).waitFor()
  const withRows = await top()

  await field(page).pressSequentially('ilie Be')
  await expect.poll(() => rows(page).count()).toBe(1)
  expect(await top()).toBe(withRows)
  await field(page).pressSequentially('x')
  await box(page).waitFor({ state: 'detached' })
  expect(await top()).toBe(withRows)
  await field(page).fill('')
  await expect.poll(top).toBe(before)
})

long('a search that fails or finds nothing shows nothing', async () => {
  const { page } = await openDesk()
  await page.route('**/api/v2/vouchers/by-name*', (route) => route.fulfill({ status: 503, body: '{}' }))
  const failed = page.waitForResponse(/by-name/)
  await field(page).fill('fam')
  expect((await failed).status()).toBe(503)
  await page.unroute('**/api/v2/vouchers/by-name*')
  const empty = page.waitForResponse(/by-name/)
  await field(page).fill('nobody')
  expect((await empty).status()).toBe(200)

  expect(await box(page).count()).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(0)
})

long('on a phone: two rows, and a tap shows the voucher', async () => {
  const { page } = await openDesk('en', 390)
  await field(page).fill('fam')
  await rows(page).nth(1).waitFor()

  await expect.poll(() => rows(page).count()).toBe(2)
  await page.getByRole('link', { name: '2 more, show in Vouchers' }).waitFor()
  await rows(page).nth(1).getByRole('button').click()
  await page.getByRole('heading', { name: 'Voucher', exact: true }).waitFor()
  await page.getByText('93685-87509').first().waitFor()
})

long.each(['en', 'de'] as const)('the found guests are accessible, in %s', async (language) => {
  const { page, t } = await openDesk(language)
  await field(page, t('desk.for-whom')).fill('Fam')
  await page.getByRole('group', { name: t('found.caption') }).waitFor()

  await expectAccessible(page, `desk found guests ${language}`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expectKeyboardReachesAll(page)
})
