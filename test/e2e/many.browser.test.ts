import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const browser = await startBrowser()
/** Only in the long run, because CI has ten minutes. */
const long = test.runIf(isLong)
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '3 days', expireMinutes: 4320, maxUses: 2 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

const names = Array.from({ length: 50 }, (_, index) => `Zimmer ${101 + index}`)

async function openDesk(): Promise<{ page: Page; controller: Simulator; session: string }> {
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, {
    name: 'Hotel Goldener Adler',
    driver: 'unifi-integration',
  })
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session })
  await page.goto('/desk')
  await page.getByText('Many', { exact: true }).click()
  return { page, controller, session }
}

/** The names of the vouchers on the controller, without the date in front of each. */
const namesOn = async (controller: Simulator) => (await controller.vouchers()).map(({ name }) => name.slice(11))

test('50 from a pasted list: stopped at 20, found again on another computer, resumed; then there are exactly 50', async () => {
  const { page, controller, session } = await openDesk()
  await controller.fault('slow', { times: 20, delayMs: 1 })
  await controller.fault('slow', { times: 9, delayMs: 5_000 })

  await page.getByLabel('For whom?').fill(names.join('\n'))
  await page.getByText('50 names').waitFor()
  await expectAccessible(page, 'many form')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Create 50 vouchers' }).dblclick()
  await page.getByText(/^2\d$/).first().waitFor() // 20, or more if this machine is busy
  await page.getByRole('button', { name: 'Stop' }).click()
  const stopped = await page.getByText(/^2\d created, \d\d not started\.$/).innerText()
  await expectAccessible(page, 'many stopped')
  const [created = 0, left = 0] = (stopped.match(/\d+/g) ?? []).map(Number)
  expect(created + left).toBe(50)
  expect(await namesOn(controller)).toEqual(names.slice(0, created))
  await controller.forgetFaults()

  const elsewhere = await openPage(browser, { url: app.url, session })
  await elsewhere.goto('/desk')
  await elsewhere.getByRole('region', { name: 'Lists' }).getByText('50 vouchers').click()
  await elsewhere.getByRole('button', { name: 'Resume' }).click()
  await elsewhere.getByRole('button', { name: 'Print 50' }).waitFor()

  expect((await namesOn(controller)).toSorted()).toEqual(names)
  const { rows } = await app.db.query('select count(*)::integer as count from batches')
  expect(rows).toEqual([{ count: 1 }])
  await page.reload()
  await page.getByRole('button', { name: 'Print 50' }).waitFor()
})

test('a row that the controller rejects is shown with its reason, and a retry creates it; the others are not created again', async () => {
  const { page, controller } = await openDesk()
  await controller.fault('slow', { times: 2, delayMs: 1 })
  await controller.fault('refuse')

  await page.getByLabel('For whom?').fill('Ahrens\nBaumann\nde Vries\nKern\nKern')
  await page.getByText('1 duplicate line').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Print 4' }).waitFor()
  const region = page.getByRole('main')
  expect(await region.getByText('rejected', { exact: true }).count()).toBe(1)
  expect(await region.innerText()).toMatch(
    /1 not created\.\s+The controller rejected these vouchers\. Tell an administrator\. These vouchers certainly do not exist/,
  )
  await expectAccessible(page, 'many partial')

  await page.getByRole('button', { name: 'Retry 1' }).click()
  await page.getByRole('button', { name: 'Print 5' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()

  expect((await download).suggestedFilename()).toMatch(/^vouchers-.*\.csv$/)
  expect((await namesOn(controller)).toSorted()).toEqual(['Ahrens', 'Baumann', 'Kern', 'Kern', 'de Vries'])
})

long('a list that is too long is rejected in the form; a count with a name needs no list', async () => {
  const { page, controller } = await openDesk()
  await page.getByLabel('For whom?').fill(Array.from({ length: 1_003 }, (_, index) => `Gast ${index}`).join('\n'))
  await page.getByText('At most 1,000 vouchers at once. Remove 3.').waitFor()
  await page.getByRole('button', { name: 'Create 1003 vouchers' }).click()
  await expectAccessible(page, 'many too many')
  expect(await controller.creates()).toBe(0)

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByText('Count', { exact: true }).click()
  await page.getByLabel('How many?').fill('3')
  await page.getByLabel('Name on each voucher').fill('Tagung')
  await page.getByRole('button', { name: 'Create 3 vouchers' }).click()
  await page.getByRole('button', { name: 'Print 3' }).waitFor()

  expect(await namesOn(controller)).toEqual(['Tagung', 'Tagung', 'Tagung'])
})
