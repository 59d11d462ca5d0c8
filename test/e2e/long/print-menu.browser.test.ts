import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { guestLanguages } from '#slips/guest-languages.ts'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { png } from '#test/data/images.ts'
import { seedControlledSite, seedKey, seedPerson, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { readPaper } from '#test/paper.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { findLayoutFaults } from '../find-layout-faults.ts'

const app = await startWebApp()
const browser = await startBrowser()
await seedPerson(app.db, { role: 'admin' })
const { key } = await seedKey(app.db, { scope: 'manage' })
const wifi = { wifiName: 'Gäste; "Adler"', wifiPassword: 'am-wolfgangsee' }
const wifiText = String.raw`WIFI:T:WPA;S:Gäste\; \"Adler\";P:am-wolfgangsee;;`

/**
 * A page that shows a new voucher of a site with a logo. The print dialog of the browser stays closed; calls to it are
 * counted.
 */
async function makeVoucher(locale = 'en-GB'): Promise<{ page: Page; code: string }> {
  const site = await seedControlledSite(app.db, await startSimulator(), { name: 'Hotel Goldener Adler' })
  const facts = { ...wifi, footer: 'Rezeption: 9', guestLanguages: ['fr', 'it'], timeZone: 'Europe/Vienna' }
  await setGuestInfo(app.context, testActor, site, facts)
  const uploaded = await app.call(`/api/v2/sites/${site}/logo`, { method: 'PUT', key, body: png })
  expect(uploaded.status, uploaded.text).toBeLessThan(300)
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session, locale })
  await page.addInitScript('window.dialogs = 0; window.print = () => { window.dialogs++ }')
  await page.goto('/desk')
  await page.locator('input:focus').fill('Familie Huber')
  await page.keyboard.press('Enter')
  const code = await page
    .getByText(/^\d{5}-\d{5}$/)
    .first()
    .innerText()
  return { page, code }
}

/** The printed page after the dialog was opened this many times. */
async function readPrinter(page: Page, name: string, dialogs = 1) {
  await expect.poll(() => page.evaluate('window.dialogs')).toBe(dialogs)
  await page.emulateMedia({ media: 'print' })
  const faults = await page.evaluate<string[]>(`(${findLayoutFaults})()`)
  const logos = await page.evaluate<number[][]>(
    `[...document.querySelectorAll('.vs-slip-logo')].map(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])`,
  )
  const pages = await readPaper(await page.pdf({ preferCSSPageSize: true }), name)
  await page.emulateMedia({ media: 'screen' })
  return { faults, logos, pages }
}

test('Ctrl P prints on A4 at first, with the logo of the site and in its languages', async () => {
  const { page, code } = await makeVoucher()
  await page.keyboard.press('Control+p')
  const { faults, logos, pages } = await readPrinter(page, 'menu a4')

  expect({ faults, logos }).toEqual({ faults: [], logos: [[7, 5]] })
  expect(pages.map(({ widthMm, heightMm }) => [widthMm, heightMm])).toEqual([[210, 297]])
  expect(pages[0]?.qrCodes.map(({ text }) => text)).toEqual([wifiText])
  for (const text of [code, 'Familie Huber', 'Hotel Goldener Adler', 'Rezeption: 9', 'Mot de passe', 'Password'])
    expect(pages[0]?.text).toContain(text)
})

test('the menu chooses 80 mm and two languages, and a reload keeps the choice', async () => {
  const { page, code } = await makeVoucher()
  await page.getByRole('button', { name: 'Paper and language' }).click()
  await page.getByRole('menuitemcheckbox', { name: '80 mm, one slip per voucher' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Site default: French, Italian', checked: true }).waitFor()
  await page.getByRole('menuitemcheckbox', { name: 'Czech' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'German' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Print/ }).click()
  const { faults, logos, pages } = await readPrinter(page, 'menu 80mm')

  expect({ faults, logos }).toEqual({ faults: [], logos: [[7, 5]] })
  expect(pages.map(({ widthMm, qrCodes }) => [widthMm, qrCodes.map(({ text }) => text)])).toEqual([[80, [wifiText]]])
  for (const text of [code, 'Heslo', 'Passwort', 'Rezeption: 9']) expect(pages[0]?.text).toContain(text)
  expect(pages[0]?.text).not.toContain('Mot de passe')

  await page.reload()
  await page.getByText(code).first().waitFor()
  await page.keyboard.press('Control+p')
  const again = await readPrinter(page, 'menu 80mm again')
  expect(again.pages.map(({ widthMm, text }) => [widthMm, text])).toEqual([[80, pages[0]?.text]])
})

test('the menu has all languages by their names; the last one is reached by keyboard', async () => {
  const { page } = await makeVoucher()
  await page.getByRole('button', { name: 'Paper and language' }).click()
  const languages = page.getByRole('menuitemcheckbox', { name: /^[A-Z]\S+( \S+)?$/ })
  await languages.first().waitFor()
  await expectAccessible(page, 'print menu')
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  const last = page.getByRole('menuitemcheckbox', { name: 'Ukrainian' })
  await page.keyboard.press('Enter')
  const names = await languages.allInnerTexts()

  expect(await last.isVisible()).toBe(true)
  expect(names).toHaveLength(guestLanguages.length)
  expect(names).toEqual(names.toSorted())
  await page.getByRole('menuitemcheckbox', { name: 'Ukrainian', checked: true }).waitFor()
})

test('the menu works by keyboard, in German; a second print has the new choice', async () => {
  const { page, code } = await makeVoucher('de-DE')
  await page.keyboard.press('Control+p')
  const first = await readPrinter(page, 'menu de a4')
  await page.getByRole('button', { name: 'Papier und Sprache' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemcheckbox', { name: 'A4, zehn Karten je Blatt', checked: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemcheckbox', { name: '80 mm, ein Zettel je Voucher', checked: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+p')
  const second = await readPrinter(page, 'menu de 80mm', 2)

  expect([first, second].map(({ pages }) => pages.map(({ widthMm }) => widthMm))).toEqual([[210], [80]])
  for (const { faults, pages } of [first, second]) {
    expect(faults).toEqual([])
    expect(pages[0]?.text).toContain(code)
  }
})

test('the next print begins at the chosen card, and the one after it at the first', async () => {
  const { page } = await makeVoucher()
  await page.getByRole('button', { name: 'Paper and language' }).click()
  await page.getByRole('menuitemradio', { name: 'Begin at card 4' }).click()
  await page.getByRole('menuitemradio', { name: 'Begin at card 4', checked: true }).waitFor()
  await page.keyboard.press('Escape')
  const emptyCards = async (dialogs: number) => {
    await page.keyboard.press('Control+p')
    await expect.poll(() => page.evaluate('window.dialogs')).toBe(dialogs)
    return page.locator('.vs-sheet > div').count()
  }

  expect([await emptyCards(1), await emptyCards(2)]).toEqual([3, 0])
})
