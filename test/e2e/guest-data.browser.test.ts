import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedManyVouchers, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
const hotel = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
const hall = await seedSite(app.db, { name: 'Kongresshalle Passau' })
const admin = await seedPerson(app.db, { role: 'admin', name: 'Katrin Vogt' })
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

async function seedEnded(name: string, days: number): Promise<void> {
  const ended = { status: 'expired', usedCount: 1, createdAt: daysAgo(days + 1), expiresAt: daysAgo(days) } as const
  await seedVoucher(app.db, hotel, { name: `2026-05-01_${name}`, ...ended })
}

test('an administrator sees whom the next run forgets, saves the days, and gives a site another time', async () => {
  await seedEnded('Familie Brandt', 100)
  await seedEnded('Zimmer 204', 40)
  const page = await openPage(browser, { url: app.url, session: admin.session })
  await page.goto('/settings?tab=guest-data')
  await page.getByRole('switch', { name: 'Forget guests' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('The next run forgets 1 guest of 1 site.').waitFor()
  await page.getByLabel('days after a voucher ends').fill('99999')
  await page.getByRole('status').getByText('Enter a number of days from 1 to 3650.').waitFor()
  await page.getByLabel('days after a voucher ends').fill('30')
  await page.getByText('The next run forgets 2 guests of 1 site.').waitFor()
  await page.getByText('not saved').waitFor()
  if (isLong) await expectUsable(page, 'guest-data not saved')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('not saved').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Add a site' }).click()
  await page.getByRole('combobox', { name: 'Site' }).click()
  await page.getByRole('option', { name: 'Hotel Goldener Adler' }).click()
  await page.getByLabel('Days', { exact: true }).fill('60')
  await page.getByText('With 60 instead of 30 days, the next run forgets 1 guest of 1 site.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('rowheader', { name: 'Hotel Goldener Adler' }).waitFor()

  const saved = async () => (await app.call('/api/v2/settings/guest-data', { session: admin.session })).json()
  await vi.waitFor(async () =>
    expect(await saved()).toMatchObject({
      forget_after_days: 30,
      unused_after_days: null,
      exceptions: [{ site_id: hotel, forget_after_days: 60 }],
    }),
  )
  await page.getByRole('switch', { name: 'Forget guests' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('Off at all other sites: names stay there until somebody erases them.').waitFor()
})

async function openGuestData(): Promise<Page> {
  const page = await openPage(browser, { url: app.url, session: admin.session })
  await page.goto('/settings?tab=guest-data')
  return page
}

async function searchFor(page: Page, words: string): Promise<void> {
  await page.getByLabel('Beginning of the name, or the whole reference').fill(words)
  await page.keyboard.press('Enter')
}

const hits = (page: Page) => page.getByRole('group', { name: 'Guests found' }).getByRole('checkbox')
const dialog = (page: Page) => page.getByRole('dialog')
const receipts = async () => (await app.call('/api/v2/erasures', { session: admin.session })).json().erasures

async function erase(page: Page, reason: string): Promise<void> {
  await dialog(page).getByLabel(reason).check()
  await dialog(page)
    .getByRole('button', { name: /^Erase \d/ })
    .click()
}

test('an administrator finds a guest, exports what is stored, erases it, and gets a receipt without the name', async () => {
  await seedEnded('Familie Huber', 3)
  await seedVoucher(app.db, hall, { name: '2026-11-09_Huber, Sabine', status: 'revoked', reference: 'R-4711' })
  const page = await openGuestData()
  await searchFor(page, 'Hub')
  await page
    .getByRole('checkbox', { name: /^Huber, Sabine.*Kongresshalle Passau.*reference R-4711.*1 voucher/ })
    .waitFor()
  await page.getByText('2 guests found.').waitFor()
  await page.getByRole('checkbox', { name: /Familie Huber.*Hotel Goldener Adler/ }).check()
  const table = page.getByRole('table', { name: 'What is stored about the ticked guests' })
  await table.getByRole('row', { name: /^Vouchers name 1/ }).waitFor()
  if (isLong) await expectUsable(page, 'guest-data found')

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Export \d/ }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^guest-data-\d{4}-\d\d-\d\d\.zip$/)
  expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe('PK')

  await page.getByRole('button', { name: 'Erase Familie Huber…' }).click()
  const named = dialog(page).getByRole('list', { name: 'Guests to erase' }).getByRole('listitem')
  expect(await named.allInnerTexts()).toEqual(['Familie Huber Hotel Goldener Adler'])
  await dialog(page)
    .getByRole('button', { name: /^Erase \d/ })
    .click()
  await dialog(page).getByText('Choose a reason.').waitFor()
  if (isLong) await expectUsable(page, 'guest-data erase')
  await erase(page, 'The guest asked for erasure')
  await page.getByText(/^\d+ (entry|entries) erased$/).waitFor()
  const [receipt] = await receipts()
  expect(receipt).toMatchObject({ reason: 'guest_asked', vouchers: 1, waiting: 0 })
  await page.getByRole('definition').getByText(receipt.id).waitFor()
  await page.getByRole('row', { name: new RegExp(`The guest asked for erasure.*${receipt.id}`) }).waitFor()
  await expectUsable(page, 'guest-data receipt')
  expect(await page.locator('main').innerText()).not.toContain('Huber')
  expect(await page.getByLabel('Beginning of the name, or the whole reference').inputValue()).toBe('')

  await searchFor(page, 'Familie Huber')
  await page.getByText('Nobody found.').waitFor()
  await searchFor(page, 'R-4711') // the only guest is ticked
  await page.getByRole('button', { name: 'Erase Huber, Sabine…' }).waitFor()
})

test.runIf(isLong)(
  'vouchers that still work are revoked first, or their guest is erased after they have ended',
  async () => {
    const valid = await seedVoucher(app.db, hotel, { name: '2026-11-19_Okafor' })
    const page = await openGuestData()
    await searchFor(page, 'Okafor')
    await page.getByRole('button', { name: 'Erase Okafor…' }).click()
    await dialog(page)
      .getByRole('button', { name: /^Erase \d/ })
      .click()
    await dialog(page).getByText('Choose what happens to vouchers that still work.').waitFor()
    await dialog(page).getByLabel('Revoke first').check()
    const vouchers = page.waitForEvent('popup')
    await dialog(page).getByRole('link', { name: 'Okafor, Hotel Goldener Adler' }).click()
    await (await vouchers).getByRole('row', { name: /Okafor/ }).waitFor()
    await erase(page, 'Another reason')
    await dialog(page).getByText('still work or are being created: 1. Nothing was erased.').waitFor()
    await expectAccessible(page, 'guest-data still valid')
    await dialog(page).getByLabel('Erase after the end').check()
    await erase(page, 'Another reason')
    await page.getByText('The erasure is scheduled').waitFor()
    await page.getByText(/more entr(y is|ies are) erased soon after/).waitFor()
    const { rows } = await app.db.query('select name, erasure_id from vouchers where id = $1', [valid])
    expect(rows).toEqual([{ name: 'Okafor', erasure_id: (await receipts())[0].id }])
  },
)

test.runIf(isLong)('a name that works meanwhile is erased only after a choice', async () => {
  await seedEnded('Ferrari', 2)
  const page = await openGuestData()
  await searchFor(page, 'Ferrari')
  await page.getByRole('button', { name: 'Erase Ferrari…' }).click()
  await seedVoucher(app.db, hotel, { name: '2026-11-19_Ferrari' })
  await erase(page, 'It was recorded by mistake')
  await dialog(page).getByText('1 voucher still works').waitFor()
  await dialog(page).getByLabel('Erase after the end').check()
  await erase(page, 'It was recorded by mistake')
  await page.getByText(/^\d+ (entry|entries) erased$/).waitFor()
  expect((await receipts())[0]).toMatchObject({ reason: 'mistake', finished_at: null })
})

test.runIf(isLong)('too few characters, no guest, and a service that is away are said at the search', async () => {
  const page = await openGuestData()
  await searchFor(page, 'x')
  await page.getByText('Enter at least 2 characters.').waitFor()
  await searchFor(page, 'nobody has this name')
  await page.getByText('Nobody found.').waitFor()
  await page.route('**/api/v2/guests/*', (route) => route.abort())
  await searchFor(page, 'Brandt')
  await page.getByRole('alert').getByText('No connection to the service').waitFor()
  await expectAccessible(page, 'guest-data away')
  await page.unroute('**/api/v2/guests/*')
  await searchFor(page, 'nobody')
  await page.getByText('Nobody found.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test.runIf(isLong)(
  'names of guests are texts: with markup, with characters that change the direction, and with 200 characters',
  async () => {
    const names = [
      'hostile <img src=x onerror="document.title=1"></script>',
      'hostile \u202Egnp.exe',
      `hostile ${'w'.repeat(191)}`,
    ]
    for (const name of names) await seedEnded(name, 1)
    const page = await openGuestData()
    await searchFor(page, 'hostile')
    for (const name of names) {
      await page.getByRole('checkbox', { name }).check()
      await page.getByRole('button', { name: `Erase ${name}…` }).click()
      await dialog(page)
        .getByRole('heading', { name: `Erase ${name}?` })
        .waitFor()
      await expectAccessible(page, `guest-data hostile ${names.indexOf(name)}`)
      await page.keyboard.press('Escape')
      await page.getByRole('checkbox', { name }).uncheck()
    }
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.title()).not.toBe('1')
  },
)

test.runIf(isLong)('of many guests, 50 are shown and 20 can be ticked', async () => {
  await seedManyVouchers(app.db, hall, 60)
  const page = await openGuestData()
  await searchFor(page, 'Gast')
  await page.getByText('50 guests found. More guests match. Type more of the name.').waitFor()
  for (let i = 0; i < 20; i++) await hits(page).nth(i).check()
  await page.getByText('You can tick at most 20 guests at once.').waitFor()
  expect(await hits(page).nth(20).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Erase 20 guests…' }).waitFor()
  await expectAccessible(page, 'guest-data many')
})
