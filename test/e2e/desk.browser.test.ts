import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible, expectKeyboardReachesAll } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { isLong, median, report } from '#test/measuring.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp({ SETTLE_SECONDS: '5' })
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const browser = await startBrowser()
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '1 day', expireMinutes: 1440, maxUses: 2 })
await addTemplate(app.db, testActor, { ...unlimited, name: '1 week', expireMinutes: 10_080, maxUses: 2 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const long = test.runIf(isLong)

type Desk = { page: Page; controller: Simulator; site: number; person: { id: string; session: string } }

/** A new desk: a site, its controller, and a person who is signed in. */
async function openDesk({ driver = 'unifi-integration' } = {}): Promise<Desk> {
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler', driver })
  const person = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session: person.session })
  await page.goto('/desk')
  await page.getByLabel('For whom?').waitFor()
  return { page, controller, site, person }
}

const codeOnPage = /^\d{5}-\d{5}$/
const result = (page: Page) => page.getByRole('heading', { name: 'Voucher created' })
const shownCode = async (page: Page) => (await page.getByText(codeOnPage).first().innerText()).replace('-', '')
const codesOn = async (controller: Simulator) => (await controller.vouchers()).map(({ code }) => code)

test('a name and Enter make a voucher, without a mouse; N is for the next guest', async () => {
  const { page, controller, site, person } = await openDesk()
  await expectAccessible(page, 'desk form')
  await page.setViewportSize({ width: 1440, height: 900 })
  const times: number[] = []

  for (const name of ['Familie Huber', 'Zimmer 12']) {
    await page.keyboard.type(name)
    const begin = performance.now()
    await page.keyboard.press('Enter')
    await result(page).waitFor()
    times.push(performance.now() - begin)
    expect(await codesOn(controller)).toContain(await shownCode(page))
    if (name === 'Familie Huber') {
      await expectAccessible(page, 'desk result')
      await expectKeyboardReachesAll(page)
      await page.setViewportSize({ width: 1440, height: 900 })
    }
    await page.waitForTimeout(700) // N is ignored for a moment, so that a double press does not hide a code
    await page.keyboard.press('n')
    await page.getByLabel('For whom?').waitFor()
  }

  report('code visible after ms, median', median(times))
  if (isLong) expect(median(times)).toBeLessThan(1_500)
  const { rows } = await app.db.query('select name, staff_id from vouchers where site_id = $1 order by created_at', [
    site,
  ])
  expect(rows).toEqual([
    { name: 'Familie Huber', staff_id: person.id },
    { name: 'Zimmer 12', staff_id: person.id },
  ])
})

long(
  'the desk says how many vouchers are left today, when the next one is possible, and what lasts too long',
  async () => {
    const { page, person } = await openDesk()
    await app.db.query('update staff set vouchers_per_day = 2, longest_minutes = 1440 where id = $1', [person.id])
    await page.reload()
    await page.getByText('2 of 2 vouchers left today').waitFor()
    expect(await page.getByRole('radio', { name: /1 week.*longer than 1 day/ }).isDisabled()).toBe(true)
    for (const [name, left] of [
      ['Familie Huber', '1 of 2 vouchers left today'],
      [
        'Zimmer 12',
        /^Your limit of 2 vouchers a day is reached\. The next one can be created from \w{3} \d+ \w+, 00:00\.$/,
      ],
    ] as const) {
      await page.getByLabel('For whom?').fill(name)
      await page.keyboard.press('Enter')
      await result(page).waitFor()
      await page.waitForTimeout(700) // N is ignored for a moment
      await page.keyboard.press('n')
      await page.getByRole('status').getByText(left).waitFor()
    }
    await expectAccessible(page, 'desk at its limit')

    await page.getByLabel('For whom?').fill('Zimmer 13')
    await page.keyboard.press('Enter')
    await page.getByText('The limit of vouchers for today is reached.').waitFor()
    const { rows } = await app.db.query('select name from vouchers where staff_id = $1 order by created_at', [
      person.id,
    ])
    expect(rows).toEqual([{ name: 'Familie Huber' }, { name: 'Zimmer 12' }])
  },
)

test('an unknown outcome turns into the voucher, which exists once', async () => {
  const { page, controller } = await openDesk()
  await controller.fault('created-then-reset', { on: 'create' })

  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await page.getByText('We are finding out whether a voucher was created.').first().waitFor()
  if (isLong) await expectAccessible(page, 'desk finding out')
  await result(page).waitFor({ timeout: 60_000 })

  expect([await shownCode(page)]).toEqual(await codesOn(controller))
})

test('a person sees no other site, not even by its address', async () => {
  const { site } = await openDesk()
  const mine = await Promise.all([1, 2].map(async () => seedControlledSite(app.db, await startSimulator())))
  const { session } = await seedPerson(app.db, { siteIds: mine })
  const page = await openPage(browser, { url: app.url, session })

  await page.goto(`/desk?site=${site}`)
  await page.getByText('This site is not active, or it is not one of your sites.').waitFor()

  const seen = await page.evaluate<number[]>(
    `fetch('/api/v2/sites').then((answer) => answer.json()).then(({ sites }) => sites.map(({ id }) => id))`,
  )
  expect(seen.toSorted()).toEqual(mine.toSorted())
  expect(await page.evaluate(`fetch('/api/v2/sites/${site}').then(({ status }) => status)`)).toBe(404)
})

long('with all sites chosen, the sites are buttons, and a code of another site is found', async () => {
  const [hotel, pension] = [await startSimulator(), await startSimulator()]
  const siteIds = [
    await seedControlledSite(app.db, hotel, { name: 'Hotel Goldener Adler' }),
    await seedControlledSite(app.db, pension, { name: 'Pension Alpenblick' }),
  ]
  const { session } = await seedPerson(app.db, { siteIds })
  const page = await openPage(browser, { url: app.url, session })
  const sites = page.getByRole('group', { name: 'For which site?' })
  await page.goto('/desk')
  await page.getByLabel('For whom?').waitFor()
  expect(await sites.getByRole('radio', { name: 'Hotel Goldener Adler' }).isChecked()).toBe(true)

  await sites.getByText('Pension Alpenblick').click()
  await page.getByLabel('For whom?').fill('Zimmer 12')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  await page.getByText('Pension Alpenblick · 1 day').waitFor({ timeout: 30_000 })
  const code = await shownCode(page)
  expect([await codesOn(hotel), await codesOn(pension)]).toEqual([[], [code]])
  await page.waitForTimeout(700) // N is ignored for a moment
  await page.keyboard.press('n')
  await sites.getByText('Hotel Goldener Adler').click()
  const check = page.getByRole('region', { name: 'Check a code' })
  await check.getByRole('textbox').fill(code)
  await page.keyboard.press('Enter')
  await check.getByText('at Pension Alpenblick').waitFor()

  await expect.poll(() => check.innerText()).toContain('Valid · not used yet')
  await check.getByText('at Pension Alpenblick').click()
  await atUrl(page, /\/vouchers/)
  await page.getByText('Zimmer 12').first().waitFor()
})

long('while the controller is down no voucher is made; when it is back, one is', async () => {
  const { page, controller } = await openDesk({ driver: 'unifi-classic' })
  await controller.stop()

  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await page.getByText('No voucher was created.').first().waitFor({ timeout: 60_000 })
  await page.getByText(/The controller has been unreachable since \d\d:\d\d\./).waitFor()
  await expectAccessible(page, 'desk no voucher')
  expect(await page.getByLabel('For whom?').inputValue()).toBe('Familie Huber')
  const { username, password } = controller.login
  const address = ['--port', new URL(controller.url).port, '--username', username, '--password', password]
  const again = await startSimulator(...address)
  await vi.waitFor(
    async () => {
      if (await page.getByRole('button', { name: 'Try again' }).isVisible())
        await page.getByRole('button', { name: 'Try again' }).click()
      await result(page).waitFor({ timeout: 5_000 })
    },
    { timeout: 120_000 },
  )

  expect([await shownCode(page)]).toEqual(await codesOn(again))
})

long('an unknown outcome turns into "none was created"; the next guest did not wait', async () => {
  const { page, controller } = await openDesk()
  await controller.fault('hang-before', { on: 'create' })

  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await page.getByText('We are finding out whether a voucher was created.').first().waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Go to the next guest' }).click()
  await page.getByLabel('For whom?').fill('Zimmer 12')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  await page.getByText('No voucher was created').first().waitFor({ timeout: 120_000 })

  expect((await controller.vouchers()).map(({ name }) => name.slice(11))).toEqual(['Zimmer 12'])
})

long('a double click and a reload during creation make one voucher', async () => {
  const { page, controller } = await openDesk()
  await controller.fault('slow', { on: 'create', delayMs: 3_000 })

  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.getByRole('button', { name: 'Create voucher' }).dblclick()
  await vi.waitFor(async () => expect(await controller.creates()).toBe(1), { timeout: 20_000 })
  await page.reload()
  await result(page).waitFor({ timeout: 60_000 })

  expect([await shownCode(page)]).toEqual(await codesOn(controller))
})

long('a code that was redeemed a second ago is shown as used', async () => {
  const { page, controller } = await openDesk()
  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  const code = await shownCode(page)
  await controller.redeem(code)
  await controller.redeem(code, 'aa:00:00:00:00:02')

  await page.getByLabel('Check a code').last().fill(code)
  await page.keyboard.press('Enter')
  await page.getByText('Asked the controller just now.').waitFor()

  const check = page.getByRole('region', { name: 'Check a code' })
  await expect.poll(() => check.innerText()).toContain('Used')
  await expectAccessible(page, 'desk check')
})

long(
  'a session that ended elsewhere: what was typed stays, and the voucher is made after signing in again',
  async () => {
    const { page, controller, person } = await openDesk()
    const password = 'correct horse battery staple'
    const { email } = await seedPerson(app.db, { password })
    await page.getByLabel('For whom?').fill('Familie Huber')
    await app.db.query(
      'update staff set password_hash = (select password_hash from staff where email = $2) where id = $1',
      [person.id, email],
    )
    const { rows } = await app.db.query<{ email: string }>('select email from staff where id = $1', [person.id])
    await app.db.query('delete from staff_sessions where staff_id = $1', [person.id])
    await page.getByRole('button', { name: 'Create voucher' }).click() // before the page notices it by itself

    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await dialog.getByLabel('E-mail').fill(rows[0]?.email as string)
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await result(page).waitFor()

    expect([await shownCode(page)]).toEqual(await codesOn(controller))
    expect(await page.getByText('Familie Huber').first().isVisible()).toBe(true)
  },
)

long('a voucher that was revoked at the desk is gone on the controller', async () => {
  const { page, controller } = await openDesk()
  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  await page.getByRole('region', { name: 'Recently created' }).getByText('Familie Huber').click()
  await page.getByRole('button', { name: 'Revoke…' }).click()
  await expectAccessible(page, 'desk revoke', { widths: [1440] })
  await page.getByRole('button', { name: 'Revoke voucher' }).click()

  await vi.waitFor(async () => expect((await controller.vouchers()).every(({ deleted }) => deleted)).toBe(true), {
    timeout: 60_000,
  })
})
