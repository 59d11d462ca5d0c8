import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { isLong, report } from '#test/measuring.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'
import { pasteInto } from './paste-into.ts'

const app = await startWebApp()
const mail = await setUpMail(app)
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
  if (isLong) await expectAccessible(page, 'many form')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Create 50 vouchers' }).dblclick()
  await page.getByText(/^2\d$/).first().waitFor() // 20, or more if this machine is busy
  await page.getByRole('button', { name: 'Stop' }).click()
  const stopped = await page.getByText(/^2\d created, \d\d not started\.$/).innerText()
  if (isLong) await expectAccessible(page, 'many stopped')
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
  await expect.poll(() => region.getByText('rejected', { exact: true }).count()).toBe(1)
  expect(await region.innerText()).toMatch(
    /1 not created\.\s+The controller rejected these vouchers\. Tell an administrator\. These vouchers certainly do not exist/,
  )
  if (isLong) await expectAccessible(page, 'many partial')

  await page.getByRole('button', { name: 'Retry 1' }).click()
  await page.getByRole('button', { name: 'Print 5' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()

  expect((await download).suggestedFilename()).toMatch(/^vouchers-.*\.csv$/)
  expect((await namesOn(controller)).toSorted()).toEqual(['Ahrens', 'Baumann', 'Kern', 'Kern', 'de Vries'])
})

test('a pasted table: wrong rows are named and corrected in place, the others get their own limits and an e-mail, and what is still wrong stays', async () => {
  const { page, controller } = await openDesk()
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  await pasteInto(
    page.getByLabel('For whom?'),
    `Name;Zimmer;bis;Geräte;E-Mail\nFamilie Huber;204;${soon};4;huber@web.example\nBrandt;206;;;\nOkafor;208;31.11.;2;okafor@mail.example\nMoretti;;3 days;viele;moretti@gmail\nBrandt;206;;1;`,
  )
  await page.getByText('5 rows, 5 columns').waitFor()
  await page.getByText('November has 30 days. Write the last day, for example 30.11.').waitFor()
  await page.getByText('Line 3 and line 6 have the same name and room.').waitFor()
  await page.getByText('No dot after the @. Correct it or empty the cell.').waitFor()
  await page.getByText('2 rows are left out and stay here.').waitFor()
  await page.getByText('1 guest gets an e-mail.').waitFor()
  await page.getByLabel('Language of the e-mails').selectOption('Italian')
  await page.getByRole('button', { name: 'Create 3 vouchers' }).waitFor()
  await expectAccessible(page, 'many table')

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Control+.')
  await page.getByRole('textbox', { name: 'Line 4, Valid until' }).fill(soon)
  await page.keyboard.press('Escape') // brings 31.11. back
  const focused = page.locator(':focus')
  await page.getByRole('button', { name: 'Line 4, Valid until: 31.11.' }).and(focused).waitFor()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'Line 4, Valid until' }).and(focused).waitFor()
  await page.keyboard.insertText(`${soon} 9:00`)
  await page.keyboard.press('Tab')
  expect(await page.getByRole('textbox', { name: 'Line 4, Devices' }).inputValue()).toBe('2')
  await page.getByText('2 guests get an e-mail.').waitFor()
  await page.getByRole('button', { name: 'Create 4 vouchers' }).click()
  await page.getByRole('button', { name: 'Print 4' }).waitFor()
  await page.getByText('2 e-mails: 2 accepted by the mail server.').waitFor()
  if (isLong) await expectAccessible(page, 'many table made')

  const made = (await controller.vouchers()).map(
    ({ name, authorizedGuestLimit: devices, timeLimitMinutes: minutes }) => [
      name.slice(11),
      devices,
      minutes > 4320 - 26 * 60 && minutes < 4320 ? 'until' : minutes,
    ],
  )
  expect(made.toSorted()).toEqual(
    [
      ['Familie Huber', 4, expect.anything()],
      ['Brandt', 2, 4320],
      ['Okafor', 2, expect.anything()],
      ['Brandt', 1, 4320],
    ].toSorted(),
  )
  expect(mail.received.map(({ to }) => to).toSorted()).toEqual([['huber@web.example'], ['okafor@mail.example']])
  const { rows } = await app.db.query(
    'select name, reference, valid_until is not null as "isUntil" from vouchers where batch_id = (select id from batches order by created_at desc limit 1) order by id',
  )
  expect(rows).toEqual([
    { name: 'Familie Huber', reference: '204', isUntil: true },
    { name: 'Brandt', reference: '206', isUntil: false },
    { name: 'Okafor', reference: '208', isUntil: true },
    { name: 'Brandt', reference: '206', isUntil: false },
  ])

  await page.getByRole('button', { name: 'New list' }).click()
  await page.getByText('1 row, 5 columns').waitFor()
  await page.getByRole('button', { name: 'Create vouchers' }).click() // leads to the first error
  await page.getByRole('textbox', { name: 'Line 2, Devices' }).fill('1')
  await page.keyboard.press('Tab')
  await page.getByRole('textbox', { name: 'Line 2, E-mail' }).fill('moretti@gmail.example')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create 1 voucher' }).waitFor()
  await page.getByRole('button', { name: 'Edit as text' }).click()
  expect(await page.getByLabel('For whom?').inputValue()).toBe(
    'Name;Zimmer;bis;Geräte;E-Mail\nMoretti;;3 days;1;moretti@gmail.example',
  )
  await page.getByRole('button', { name: 'Show as a table' }).click()
  await page.getByRole('button', { name: 'Create 1 voucher' }).waitFor()
})

long(
  'names with commas stay a plain list, and a table of more than 1,000 rows is rejected above the table',
  async () => {
    const { page, controller } = await openDesk()
    await pasteInto(page.getByLabel('For whom?'), 'Huber, Anna\nKern, Ole')
    await page.getByText('2 names').waitFor()
    await page.getByLabel('For whom?').fill('')
    await pasteInto(
      page.getByLabel('For whom?'),
      `Name;Zimmer\n${Array.from({ length: 1_002 }, (_, index) => `Gast ${index};${index}`).join('\n')}`,
    )
    await page.getByText('At most 1,000 vouchers at once. Remove 2.').waitFor()
    await page.getByRole('button', { name: 'Create 1002 vouchers' }).click()

    expect(await controller.creates()).toBe(0)
  },
)

/** Marks the paste, and the first frame with the table. */
const markPreview = `
  const seen = new MutationObserver(() => {
    if (!document.body.textContent.includes('1000 rows, 4 columns')) return
    seen.disconnect()
    requestAnimationFrame(() => setTimeout(() => performance.mark('shown')))
  })
  seen.observe(document.body, { subtree: true, childList: true, characterData: true })
  document.addEventListener('paste', () => performance.mark('pasted'), { capture: true, once: true })`

long('1,000 rows with columns are shown within a second', async () => {
  const { page } = await openDesk()
  const nextYear = new Date().getFullYear() + 1
  const rows = Array.from(
    { length: 1_000 },
    (_, i) => `Gast ${i}\t${100 + i}\t${i % 50 === 7 ? '31.11.2099' : `${1 + (i % 28)}.12.${nextYear}`}\t${i % 4}`,
  )
  await page.evaluate(markPreview)
  await pasteInto(page.getByLabel('For whom?'), `Name\tZimmer\tbis\tGeräte\n${rows.join('\n')}`)
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0)
  const ms = await page.evaluate(() => performance.measure('preview', 'pasted', 'shown').duration)
  report('ms from the paste until a table of 1,000 rows is painted', ms)
  await page.getByText('Show all').click()
  await page.getByRole('button', { name: 'Line 1001, Name: Gast 999' }).waitFor()

  expect(ms).toBeLessThan(1_000)
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
