import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'
import { type Language, wordsOf } from './words.ts'

const long = test.runIf(isLong)

const app = await startWebApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const browser = await startBrowser()
const template = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null, maxUses: 2 }
await addTemplate(app.db, testActor, { ...template, name: '1 day', expireMinutes: 1440 })
await addTemplate(app.db, testActor, { ...template, name: '1 week', expireMinutes: 10_080 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

/** A desk of a person with these sites, each with its own controller. */
async function openDesk({ siteNames = ['Hotel Goldener Adler'], language = 'en' as Language } = {}) {
  const controllers = await Promise.all(siteNames.map(() => startSimulator()))
  const sites: number[] = []
  for (const [index, name] of siteNames.entries())
    sites.push(await seedControlledSite(app.db, controllers[index] as (typeof controllers)[number], { name }))
  const { session } = await seedPerson(app.db, { siteIds: sites, name: 'Anna Weber' })
  const { locale, t } = wordsOf(language)
  const page = await openPage(browser, { url: app.url, session, locale })
  await page.goto('/desk')
  await field(page, t('desk.for-whom')).waitFor()
  return { page, sites, controller: controllers[0] as (typeof controllers)[number], t }
}

const field = (page: Page, label = 'For whom?') => page.getByLabel(label, { exact: true })
const result = (page: Page) => page.getByRole('heading', { name: 'Voucher created' })
const shownCode = (page: Page) =>
  page
    .getByText(/^\d{5}-\d{5}$/)
    .first()
    .innerText()
const focusedValue = (page: Page) => page.evaluate<string>('document.activeElement.value')

/** Stops the clock of the page, and returns a function that moves it by so many milliseconds. */
async function stopClock(page: Page) {
  let now = Date.now()
  await page.clock.setFixedTime(now)
  return (ms: number) => {
    now += ms
    return page.clock.setFixedTime(now)
  }
}

test('digits in the field are text; Alt chooses by the place of the key, but not on the number pad', async () => {
  const { page } = await openDesk()
  /** A key as macOS reports it: Alt and 2 type another character. */
  const pressAlt = (code: string) =>
    page.evaluate<boolean>(`!document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: '™', code: '${code}', altKey: true, bubbles: true, cancelable: true }))`)
  await page.keyboard.type('Zimmer 212')
  expect(await field(page).inputValue()).toBe('Zimmer 212')
  await page.getByText('New voucher for “Zimmer 212” · 1 day from first use').waitFor()

  expect(await pressAlt('Numpad2')).toBe(false) // on Windows these keys type a letter
  expect(await pressAlt('Digit2')).toBe(true)
  await page.getByText('New voucher for “Zimmer 212” · 1 week from first use').waitFor()
  await page.getByRole('heading', { name: 'New voucher' }).click() // the focus leaves the field
  await page.keyboard.press('1')
  await page.getByText('New voucher for “Zimmer 212” · 1 day from first use').waitFor()
  expect(await field(page).inputValue()).toBe('Zimmer 212')
})

test('Enter on the result is for the next guest, but not in the first 600 ms, and not while it is held down', async () => {
  const { page } = await openDesk()
  const pass = await stopClock(page)
  await page.keyboard.type('Familie Huber')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  await page.getByRole('button', { name: 'Next guest' }).getByText('⏎').waitFor()

  await pass(599)
  await page.keyboard.press('Enter')
  await pass(2)
  await page.evaluate(`document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true }))`)
  await page.getByRole('button', { name: 'Copy' }).press('Enter') // the button uses the key itself
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await result(page).count()).toBe(1)
  await page.getByText('Connect to the Wi-Fi').click() // the focus leaves the button
  await page.keyboard.press('Enter')
  await field(page).waitFor()
  await page.keyboard.type('Zimmer 12')

  expect(await field(page).inputValue()).toBe('Zimmer 12')
})

test('undo revokes the voucher on its controller and brings the text back; the corrected text gets another voucher', async () => {
  const { page, controller } = await openDesk()
  await page.keyboard.type('Familie Hubr')
  await page.keyboard.press('Alt+2')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  const wrong = await shownCode(page)

  await page.keyboard.press('Control+z')
  await field(page).waitFor()
  expect(await focusedValue(page)).toBe('Familie Hubr')
  await page.getByText(`The code ${wrong} is revoked.`).waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('er')
  await page.getByText('New voucher for “Familie Huber” · 1 week from first use').waitFor()
  await page.keyboard.press('Enter')
  await result(page).waitFor()

  const right = await shownCode(page)
  const vouchers = (await controller.vouchers()).map(({ code, deleted }) => [code, deleted])
  expect(vouchers).toEqual([
    [wrong.replace('-', ''), true],
    [right.replace('-', ''), false],
  ])
  expect(await page.getByText('is revoked').count()).toBe(0)
})

long.each(['en', 'de'] as const)(
  'until an undo is confirmed, the desk says that the code may work, in %s',
  async (language) => {
    const { page, t } = await openDesk({ language })
    const keys = new Set<string | undefined>()
    let state: 'lost' | 'running' | 'done' = 'lost'
    await page.route('**/api/v2/revocations', async (route) => {
      keys.add(route.request().headers()['idempotency-key'])
      if (state === 'lost') return route.abort()
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), ...(state === 'running' && { state }) } })
    })
    await page.keyboard.type('Familie Huber')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: t('desk.made') }).waitFor()
    const code = await shownCode(page)

    await expectAccessible(page, `desk result with undo ${language}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: t('undo.undo') }).click()
    await page.getByText(t('undo.lost', { code })).waitFor()
    expect(await focusedValue(page)).toBe('Familie Huber')
    state = 'running'
    await page.getByText(t('undo.accepted-text')).waitFor()
    await expectAccessible(page, `desk undo ${language}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await expectKeyboardReachesAll(page)
    expect(await page.getByText(t('undo.revoked', { code })).count()).toBe(0)
    await page.reload()
    state = 'done'
    await page.getByText(t('undo.revoked', { code })).waitFor()
    expect(keys.size).toBe(1)
  },
)

long('an undo that the service rejects says so, and leads to the voucher', async () => {
  const { page } = await openDesk()
  const body = { error: 'not_found', message: 'x', request_id: 'r' }
  await page.route('**/api/v2/revocations', (route) => route.fulfill({ status: 404, json: body }))
  await page.keyboard.type('Familie Huber')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  const code = await shownCode(page)

  await page.keyboard.press('Control+z')
  await page.getByText(`The code ${code} was not revoked.`).waitFor()
  await expectAccessible(page, 'desk undo failed')
  await page.getByRole('button', { name: 'Show the voucher' }).click()
  await atUrl(page, /\/vouchers\?.*voucher=/)
  await page.getByText(code).first().waitFor()
  await page.goBack()
  await field(page).waitFor()
  expect(await page.getByText('was not revoked').count()).toBe(0)
})

long('a half-typed name and its template go along to another site, and are gone at the first one', async () => {
  const { page, sites } = await openDesk({ siteNames: ['Hotel Goldener Adler', 'Pension Alpenblick'] })
  await addTemplate(app.db, testActor, { ...template, siteId: sites[1] as number, name: 'Pass', expireMinutes: 600 })
  const choose = (name: string) => page.getByRole('group', { name: 'For which site?' }).getByText(name).click()
  await field(page).fill('Familie Hu')
  await page.keyboard.press('Alt+2')
  await page.getByText('New voucher for “Familie Hu” · 1 week from first use').waitFor()

  await choose('Pension Alpenblick')
  await page.getByRole('radio', { name: 'Pass' }).waitFor()
  await page.getByText('New voucher for “Familie Hu” · 1 week from first use').waitFor()
  await field(page).focus()
  await page.keyboard.type('ber')
  await page.keyboard.press('Alt+1') // a template that only this site has
  await page.getByText('New voucher for “Familie Huber” · 10 hours from first use').waitFor()
  await choose('Hotel Goldener Adler')
  await page.getByText('New voucher for “Familie Huber” · 1 day from first use').waitFor()
  await field(page).fill('')
  await choose('Pension Alpenblick')
  await page.getByRole('radio', { name: 'Pass' }).waitFor()

  expect(await field(page).inputValue()).toBe('')
})

long(
  'on a phone, Share hands over the network and the code; without a browser that shares there is no button',
  async () => {
    const { page, sites } = await openDesk()
    await app.db.query('update sites set wifi_ssid = $2 where id = $1', [sites[0], 'Adler Gast'])
    await page.setViewportSize({ width: 390, height: 900 })
    await page.reload()
    await field(page).fill('Familie Huber')
    await page.keyboard.press('Enter')
    await result(page).waitFor()
    expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0)
    await page.addInitScript('navigator.share = async (data) => { window.shared = data }')
    await page.reload()
    await result(page).waitFor()
    await expectAccessible(page, 'desk result with share', { widths: [390] })

    await page.getByRole('button', { name: 'Share' }).click()

    const text = `Wi-Fi: Adler Gast\nCode: ${await shownCode(page)}`
    await expect.poll(() => page.evaluate('window.shared')).toEqual({ text })
  },
)
