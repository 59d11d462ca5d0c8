import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
await seedPerson(app.db, { role: 'admin' })
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '1 day', expireMinutes: 1440, maxUses: 2 })

const day = 86_400_000

/** A desk whose vouchers can be extended by this many days. */
async function openDesk({ roomDays }: { roomDays: number }) {
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
  await setGuestInfo(app.context, testActor, site, { timeZone: 'UTC', roomDays })
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/desk')
  const ends = async () => {
    const { rows } = await app.db.query<{ code: string; valid_until: Date }>(
      'select code, valid_until from vouchers where site_id = $1 order by created_at',
      [site],
    )
    return rows.map(({ code, valid_until }) => ({ code, until: valid_until.getTime() }))
  }
  return { page, controller, site, session, ends }
}

/** Creates a voucher until 11:00 tomorrow, as the form proposes, and opens it from the list. */
async function makeUntilTomorrow(page: Page): Promise<void> {
  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.getByText('Customise').click()
  await page.getByText('Until date').click()
  await page.getByLabel('Valid until').waitFor()
  await page.getByRole('button', { name: 'Create voucher' }).click()
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()
  await page.getByRole('region', { name: 'Recently created' }).getByText('Familie Huber').click()
}

/** Opens the dialog and chooses the day of this end. */
async function chooseEnd(page: Page, end: number): Promise<void> {
  await page.getByRole('button', { name: 'Extend…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Extend the voucher of Familie Huber' })
  await dialog.getByText('Date…').click()
  await dialog.getByLabel('Valid until').click()
  const calendar = page.locator('[data-dates-dropdown]')
  const at = new Date(end)
  const shownMonth = await calendar.getByRole('button', { name: /^[A-Z][a-z]+ 20\d\d$/ }).innerText()
  if (!shownMonth.startsWith(at.toLocaleString('en-GB', { month: 'long', timeZone: 'UTC' })))
    await calendar.locator('[data-direction=next]').click()
  const label = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  await calendar.getByRole('button', { name: label, exact: true }).click()
  await calendar.getByRole('button', { name: 'Apply' }).click()
}

test('beyond its reserved time, the guest gets a second code, and the first one stays as it is', async () => {
  const { page, controller, ends } = await openDesk({ roomDays: 1 })
  await makeUntilTomorrow(page)
  const [made] = await ends()
  const wanted = (made?.until ?? 0) + 5 * day
  await chooseEnd(page, wanted)
  await page.getByText('This code cannot work longer.').waitFor()
  await page.getByRole('button', { name: 'Create a second code' }).click()
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()
  const code = (
    await page
      .getByText(/^\d{5}-\d{5}$/)
      .first()
      .innerText()
  ).replace('-', '')

  expect(code).not.toBe(made?.code)
  expect(await ends()).toEqual([made, { code, until: wanted }])
  expect((await controller.vouchers()).map(({ code, name, deleted }) => [code, name.slice(11), deleted])).toEqual([
    [made?.code, 'Familie Huber', false],
    [code, 'Familie Huber', false],
  ])
})

test('a voucher that a colleague is revoking is not extended, and the guest gets a second code', async () => {
  const { page, site, session, ends } = await openDesk({ roomDays: 3 })
  await makeUntilTomorrow(page)
  const [made] = await ends()
  await page.getByRole('button', { name: 'Extend…' }).click()
  const { vouchers } = (await app.call(`/api/v2/vouchers?site_id=${site}`, { session })).json()
  expect((await app.call(`/api/v2/vouchers/${vouchers[0].id}`, { method: 'DELETE', session })).status).toBe(202)
  await page.getByRole('button', { name: 'Extend by 1 day' }).click()
  await page.getByRole('button', { name: 'Create a second code' }).click()
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()

  expect((await ends()).map(({ until }) => until)).toEqual([made?.until, (made?.until ?? 0) + day])
})
