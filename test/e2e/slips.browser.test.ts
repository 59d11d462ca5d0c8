import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
const admin = await seedPerson(app.db, { role: 'admin', name: 'Katrin Vogt' })

/** A site whose Wi-Fi and own text are entered. */
async function seedHotel(name: string, changes: object = {}): Promise<number> {
  const site = await seedSite(app.db, { name })
  const facts = { wifi_name: 'Adler-Gast', wifi_password: 'Sommer-am-See-26', guest_languages: ['de', 'en'] }
  const body = JSON.stringify({ ...facts, footer: 'Fragen? Empfang, Telefon 9', ...changes })
  await app.call(`/api/v2/sites/${site}/guest-info`, { method: 'PATCH', session: admin.session, body })
  return site
}
const hotel = await seedHotel('Hotel Goldener Adler')

async function openSlips(site: number, { locale = 'en-GB', session = admin.session } = {}): Promise<Page> {
  const page = await openPage(browser, { url: app.url, session, locale })
  await page.goto(`/settings?tab=slips&site=${site}`)
  await page.getByRole('img', { name: /80 × \d+ mm/ }).waitFor({ timeout: 180_000 })
  return page
}

const size = async (page: Page) => (await page.getByRole('img', { name: / mm$/ }).getAttribute('alt')) ?? ''
const slipOf = async (site: number) =>
  (await app.call(`/api/v2/sites/${site}/guest-info`, { session: admin.session })).json()

test('a line that is switched off leaves the picture, and is saved', async () => {
  const site = await seedHotel('Gasthof Hirsch')
  const page = await openSlips(site)
  const before = await size(page)
  await page.getByRole('checkbox', { name: 'QR code to join' }).uncheck()
  await page.getByText('not saved').waitFor()
  await expect.poll(() => size(page)).not.toBe(before)
  expect(await page.getByRole('checkbox', { name: 'Code', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Save slip' }).click()
  await page.getByText('Slip saved').waitFor()

  expect(await page.getByText('not saved').count()).toBe(0)
  expect((await slipOf(site)).slip_lines).not.toContain('wifi_qr')
})

test.runIf(isLong)('a line moves by Alt and arrow keys, keeps the focus, and its place is announced', async () => {
  const site = await seedHotel('Pension Alpenblick')
  const page = await openSlips(site)
  await page.getByRole('button', { name: 'Move Validity and devices' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByRole('status').getByText('Validity and devices, 7 of 10').waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByRole('status').getByText('Validity and devices, 6 of 10').waitFor()
  await page.getByRole('button', { name: 'Move Own text' }).click()
  await page.getByRole('menuitem', { name: 'Move up' }).click()
  await page.getByRole('button', { name: 'Move Logo' }).dragTo(page.getByText('as typed at the desk'))
  await page.getByRole('button', { name: 'Save slip' }).click()
  await page.getByText('Slip saved').waitFor()

  expect((await slipOf(site)).slip_lines).toEqual([
    ...['heading', 'house', 'wifi_name', 'wifi_password', 'validity', 'wifi_qr', 'code', 'footer', 'name', 'logo'],
  ])
})

test('languages, one slip for each, and the password for keys are saved; at most three languages', async () => {
  const site = await seedHotel('Landhaus Seeblick')
  const page = await openSlips(site)
  await page.getByRole('button', { name: 'Remove German' }).click()
  for (const language of ['Dutch', 'French']) {
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('menuitem', { name: language }).click()
  }
  expect(await page.getByRole('button', { name: 'Add' }).count()).toBe(0)
  await page.getByText('One each').click()
  await page.getByLabel('Also on slips for API keys').check()
  await page.getByRole('button', { name: 'Save slip' }).click()
  await page.getByText('Slip saved').waitFor()

  expect(await slipOf(site)).toMatchObject({
    ...{ guest_languages: ['en', 'nl', 'fr'], slip_per_language: true, slip_password_for_keys: true },
  })
})

test('letters that the font lacks are named with their line, and a long name makes the slip longer', async () => {
  const site = await seedHotel('Hotel 王', { footer: 'Bis bald 😀' })
  const page = await openSlips(site)
  await page.getByText('The font lacks some characters').waitFor()
  await page.getByText('House: 王').waitFor()
  await page.getByText('Own text: 😀').waitFor()
  if (isLong) await expectAccessible(page, 'slips missing letters')
  await page.setViewportSize({ width: 1440, height: 900 })
  const before = await size(page)
  await page.getByRole('button', { name: 'Sample' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Long name' }).click()
  await expect.poll(() => size(page)).not.toBe(before)
})

test.runIf(isLong)('every paper has its picture, and one is printed in its size', async () => {
  const page = await openSlips(hotel)
  await page.evaluate('window.print = () => { window.printed = document.querySelector(".vs-print style").textContent }')
  for (const [name, found] of [
    ['A4', '210 × 297 mm'],
    ['A5', '148 × 210 mm'],
    ['Label', '62 × 100 mm'],
  ] as const) {
    await page.getByRole('radiogroup', { name: 'Paper' }).getByText(name, { exact: true }).click()
    await page.getByRole('img', { name: found }).waitFor()
    await expectAccessible(page, `slips ${name}`, { widths: [1440] })
  }
  await page.getByRole('button', { name: 'Print one' }).click()

  await expect.poll(() => page.evaluate('window.printed')).toContain('size: 62mm 101mm')
})

test.runIf(isLong)('changes stay while another site is open', async () => {
  const [one, two] = [await seedHotel('Haus Eins'), await seedHotel('Haus Zwei')]
  const page = await openSlips(one)
  await page.getByRole('checkbox', { name: 'Heading' }).uncheck()
  await page.getByRole('combobox', { name: 'Site', exact: true }).fill('Haus Zwei')
  await page.getByRole('option', { name: 'Haus Zwei' }).click()
  await expect.poll(() => page.url()).toContain(`site=${two}`)
  await page.getByRole('checkbox', { name: 'Heading', checked: true }).waitFor()
  await page.getByRole('combobox', { name: 'Site', exact: true }).fill('Haus Eins')
  await page.getByRole('option', { name: 'Haus Eins' }).click()
  await page.getByRole('checkbox', { name: 'Heading', checked: false }).waitFor()
  await page.getByText('not saved').waitFor()
})

test.runIf(isLong)(
  'a manager of one site edits its slip; a picture that cannot be drawn leaves the last one',
  async () => {
    const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [hotel] })
    const page = await openSlips(hotel, { session })
    await page.route('**/slip/preview', (route) => route.abort())
    await page.getByRole('checkbox', { name: 'Heading' }).uncheck()
    await page.getByRole('alert').getByText('No connection to the service').waitFor()
    await page.getByRole('img', { name: / mm$/ }).waitFor()
    await page.unroute('**/slip/preview')
    await page.getByRole('checkbox', { name: 'House' }).uncheck()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  },
)

test.each(isLong ? ['en-GB', 'de-DE'] : ['de-DE'])(
  'everything is reachable by keyboard and readable, in %s',
  async (locale) => {
    const page = await openSlips(hotel, { locale })
    await expectUsable(page, `slips ${locale}`)
  },
)
