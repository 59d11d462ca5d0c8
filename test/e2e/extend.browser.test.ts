import type { Locator, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'

const long = test.runIf(isLong)

const app = await startWebApp()
const browser = await startBrowser()
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '1 week', expireMinutes: 10_080, maxUses: 2 })

const dayMs = 86_400_000

/** The desk of a new site, as an administrator adds it: nobody has set its room to extend. */
async function openDesk({ driver = 'unifi-integration' } = {}) {
  const controller = await startSimulator('--flavour', 'console')
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler', driver })
  await setGuestInfo(app.context, testActor, site, { timeZone: 'UTC', wifiName: 'Adler-Gast' })
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session })
  await page.addInitScript('window.print = () => { window.prints = (window.prints ?? 0) + 1 }')
  await page.goto('/desk')
  await page.getByLabel('For whom?').waitFor()
  /** The vouchers of the site, oldest first, with the time that is left. */
  const stored = async () => {
    const { rows } = await app.db.query<{ id: string; code: string; valid_until: Date | null }>(
      'select id, code, valid_until from vouchers where site_id = $1 order by created_at',
      [site],
    )
    return rows.map(({ id, code, valid_until }) => ({ id, code, until: valid_until?.getTime() ?? null }))
  }
  return { page, controller, site, session, stored }
}

/** Creates a voucher until 11:00 tomorrow, as the form proposes, or with the template of a week, and opens it from the list. */
async function create(page: Page, kind: 'stay' | 'week'): Promise<void> {
  await page.getByLabel('For whom?').fill('Familie Brandt')
  if (kind === 'stay') {
    await page.getByText('Customise').click()
    await page.getByText('Until date').click()
    await page.getByLabel('Valid until').waitFor()
  }
  await page.getByRole('button', { name: 'Create voucher' }).click()
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()
  await page.getByRole('region', { name: 'Recently created' }).getByText('Familie Brandt').click()
  await page.getByRole('button', { name: 'Extend…' }).waitFor()
}

async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Extend…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Extend the voucher of Familie Brandt' })
  await dialog.waitFor()
  return dialog
}

/** Chooses a day in the calendar of a dialog. The time of day stays. */
async function chooseDay(field: Locator, at: number): Promise<void> {
  await field.click()
  const calendar = field.page().locator('[data-dates-dropdown]')
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  const label = new Date(at).toLocaleDateString('en-GB', options)
  const shown = await calendar.getByRole('button', { name: /^[A-Z][a-z]+ 20\d\d$/ }).innerText()
  const [month, wanted] = [Date.parse(`1 ${shown} UTC`), Date.parse(`1 ${label.slice(label.indexOf(' '))} UTC`)]
  if (month !== wanted) await calendar.locator(`[data-direction=${month < wanted ? 'next' : 'previous'}]`).click()
  await calendar.getByRole('button', { name: label, exact: true }).click()
  await calendar.getByRole('button', { name: 'Apply' }).click()
}

async function look(page: Page, name: string): Promise<void> {
  if (isLong) await expectAccessible(page, name)
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('a stay of the desk gets two days more by keys, keeps its code, and is printed again', async () => {
  const { page, controller, stored } = await openDesk()
  await create(page, 'stay')
  const [made] = await stored()
  const dialog = await openDialog(page)
  await dialog.getByText('one day longer').waitFor()
  await look(page, 'extend a stay')
  await page.keyboard.press('2')
  await dialog.getByText('two days longer').waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  const notice = page.getByRole('alert').filter({ hasText: 'Its code is the same.' })
  await notice.waitFor()
  await look(page, 'extended')
  await notice.getByRole('button', { name: 'Print again' }).click()
  await vi.waitFor(async () => expect(await page.evaluate('window.prints')).toBe(1), { timeout: 30_000 })

  const until = (made?.until ?? 0) + 2 * dayMs
  expect(await stored()).toEqual([{ ...made, until }])
  expect(await controller.vouchers()).toMatchObject([{ code: made?.code, deleted: false }])
  const printed = (await page.locator('.vs-print').textContent()) ?? ''
  expect(printed).toContain(made?.code.replace(/^.{5}/, '$&-'))
  expect(printed).toContain(String(new Date(until).getUTCDate()))
})

long('a chip past the latest end is disabled, and the sentence says why', async () => {
  const { page, site } = await openDesk()
  await setGuestInfo(app.context, testActor, site, { roomDays: 3 })
  await page.reload()
  await create(page, 'stay')
  const dialog = await openDialog(page)
  await dialog.getByText('+1 week is not possible: the controller ends this code before that.').waitFor()
  await look(page, 'extend a stay with little room')

  await expect.poll(() => dialog.getByRole('radio', { name: '+1 week' }).isDisabled()).toBe(true)
  await page.keyboard.press('3')
  expect(await dialog.getByRole('radio', { name: '+1 day' }).isChecked()).toBe(true)
})

long('an unused voucher of a week has nothing to extend; an end is set only in its own dialog', async () => {
  const { page, stored } = await openDesk()
  await create(page, 'week')
  const dialog = await openDialog(page)
  await dialog.getByText('There is nothing to extend.').waitFor()
  await look(page, 'nothing to extend')
  expect(await dialog.getByRole('button', { name: /^Extend/ }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'End by…' }).click()
  const ending = page.getByRole('dialog', { name: 'Set an end for the voucher of Familie Brandt' })
  await ending.getByText('The code stops working on').waitFor()
  await look(page, 'end by')
  expect((await stored()).map(({ until }) => until)).toEqual([null])

  await ending.getByRole('button', { name: /^End on [A-Z]/ }).click()
  await ending.waitFor({ state: 'hidden' })
  expect((await stored())[0]?.until).toBeGreaterThan(Date.now() + 6 * dayMs)
})

test.each(isLong ? ['unifi-integration', 'unifi-classic'] : ['unifi-classic'])(
  '%s: a used voucher of a week keeps its end, and the guest gets one second code, also after a lost answer',
  async (driver) => {
    const { page, controller, stored } = await openDesk({ driver })
    await create(page, 'week')
    const [first] = await stored()
    await controller.redeem(first?.code ?? '') // no sync has noticed it: the dialog asks the controller
    const dialog = await openDialog(page)
    await dialog.getByText('This code cannot work longer.').waitFor()
    await look(page, 'second code')
    let isLost = false
    await page.route('**/api/v2/vouchers', async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.fallback()
      isLost = true
      await route.fetch() // the service creates the voucher, and the page never gets the answer
      await route.abort()
    })
    await dialog.getByRole('button', { name: 'Create a second code' }).dblclick()
    await page.getByRole('heading', { name: 'Voucher created' }).waitFor()

    const [same, second, ...more] = await stored()
    expect([isLost, same, more]).toEqual([true, first, []])
    const days = ((second?.until ?? 0) - Date.now()) / dayMs
    expect(days).toBeGreaterThan(7.9)
    expect(days).toBeLessThan(8.1)
    expect((await controller.vouchers()).map(({ code, deleted }) => [code, deleted])).toEqual([
      [first?.code, false],
      [second?.code, false],
    ])
  },
)

long('an earlier end needs the red button of its own dialog, whatever a colleague does meanwhile', async () => {
  const { page, site, session, stored } = await openDesk()
  await create(page, 'stay')
  const end = (await stored())[0]?.until ?? 0
  const path = `/api/v2/vouchers/${site}-${(await stored())[0]?.id}`
  const moveTo = (until: number) =>
    app.call(path, { method: 'PATCH', session, body: JSON.stringify({ valid_until: new Date(until).toISOString() }) })
  await moveTo(end + 4 * dayMs)
  await page.reload()
  await page.getByRole('region', { name: 'Recently created' }).getByText('Familie Brandt').click()
  const dialog = await openDialog(page)
  await dialog.getByText('one day longer').waitFor()
  await page.keyboard.press('4')
  await chooseDay(dialog.getByLabel('Valid until'), end + 2 * dayMs)
  await dialog.getByText('two days earlier').waitFor()
  await look(page, 'extend to an earlier date')
  await dialog.locator('button[type=submit]').click()
  const ending = page.getByRole('dialog', { name: 'End the voucher of Familie Brandt earlier' })
  await ending.getByText('The code stops working on').waitFor()
  await look(page, 'end earlier')
  expect((await stored())[0]?.until).toBe(end + 4 * dayMs)
  await ending.getByRole('button', { name: /^End on [A-Z]/ }).click()
  await ending.waitFor({ state: 'hidden' })
  expect((await stored())[0]?.until).toBe(end + 2 * dayMs)

  // A colleague is faster, and the page shows the old end until its request is rejected.
  const before = (await app.call(`${path}/ends?days=1&days=2&days=7`, { session })).json()
  let isOld = true
  page.on('request', (request) => {
    if (request.method() === 'PATCH') isOld = false
  })
  await page.route('**/ends?*', (route) => (isOld ? route.fulfill({ json: before }) : route.fallback()))
  await openDialog(page)
  await dialog.getByText('one day longer').waitFor()
  await moveTo(end + 5 * dayMs)
  await dialog.getByRole('button', { name: 'Extend by 1 day' }).click()
  await dialog.getByText('Somebody else has changed the end.').waitFor()
  await look(page, 'extend after a colleague')
  expect((await stored())[0]?.until).toBe(end + 5 * dayMs)
  await dialog.getByRole('button', { name: 'Extend by 1 day' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await stored())[0]?.until).toBe(end + 6 * dayMs)
})

long('a manager changes by how many days guests may extend, and the page says what it costs', async () => {
  const site = await seedControlledSite(app.db, await startSimulator(), { name: 'Gasthof Post' })
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [site] })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto(`/sites/${site}`)
  const field = page.getByLabel('Guests may extend by')
  await field.waitFor()
  await page.getByText('the guest keeps access until then').waitFor()
  expect(await field.inputValue()).toBe('7')
  await field.fill('3')
  await look(page, 'site stays')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' })

  const { rows } = await app.db.query('select room_days from sites where id = $1', [site])
  expect(rows).toEqual([{ room_days: 3 }])
})
