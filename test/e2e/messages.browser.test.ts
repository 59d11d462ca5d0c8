import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { expectAccessible } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp({ WEBHOOK_RETRY_SCALE: '0.01' })
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const mail = await setUpMail(app)
const browser = await startBrowser()
const long = test.runIf(isLong)
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator, { name: 'Hotel Goldener Adler' })
const person = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })

beforeEach(() => {
  mail.received.length = 0
  delete mail.faults.to
})

async function createAtDesk(): Promise<Page> {
  const page = await openPage(browser, { url: app.url, session: person.session })
  await page.goto('/desk')
  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'E-mail' }).click()
  return page
}

test('the code is sent from the desk, and the voucher shows what the mail server said', async () => {
  const page = await createAtDesk()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The address is erased a day after', { exact: false }).waitFor()
  if (isLong) await expectAccessible(page, 'e-mail dialog')
  expect(await page.evaluate<string>('document.activeElement.type')).toBe('email')
  await page.keyboard.press('Enter')
  await dialog.getByText('Enter the e-mail address of the guest.').waitFor()
  await page.keyboard.type('no address')
  await page.keyboard.press('Enter')
  await dialog.getByText('This is not an e-mail address.').waitFor()
  await dialog.getByLabel('E-mail address').fill('huber@example.org')
  await dialog.getByLabel('Language of the message').fill('Polish')
  await page.getByRole('option', { name: 'Polish' }).click()
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByText('E-mail to huber@example.org accepted by the mail server').waitFor()
  await expectAccessible(page, 'e-mail sent')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })

  expect(mail.received.map(({ to }) => to)).toEqual([['huber@example.org']])
  expect(`${mail.received[0]?.message}`).toContain('Wpisz ten kod')
  await page.goto('/vouchers')
  await page.getByRole('button', { name: 'Familie Huber' }).first().click()
  await page.getByText('E-mail to huber@example.org accepted by the mail server').waitFor()
  await page.getByText('by Anna Weber').first().waitFor()
})

test('an address that is typed with the guest is sent with the creation, and Enter in the name needs none', async () => {
  const page = await openPage(browser, { url: app.url, session: person.session })
  await page.goto('/desk')
  await page.getByLabel('For whom?').fill('Familie Brandt')
  await page.getByRole('button', { name: 'Send by e-mail…' }).click()
  await page.getByLabel('E-mail address').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('brandt')
  await page.keyboard.press('Enter')
  await page.getByText('This is not an e-mail address.').waitFor()
  await expectAccessible(page, 'address at the desk')
  await page.keyboard.type('@example.org')
  await page.getByText('e-mail to brandt@example.org').waitFor()
  await page.getByRole('combobox', { name: 'Language of the message' }).fill('Polish')
  await page.getByRole('option', { name: 'Polish' }).click()
  await page.keyboard.press('Enter')
  await page.getByText('E-mail to brandt@example.org accepted by the mail server').waitFor()
  await expectAccessible(page, 'voucher with an e-mail')

  expect(mail.received.map(({ to }) => to)).toEqual([['brandt@example.org']])
  expect(`${mail.received[0]?.message}`).toContain('Wpisz ten kod')
  await page.getByRole('button', { name: 'Next guest' }).click()
  await page.getByLabel('For whom?').and(page.locator(':focus')).waitFor()
  expect(await page.getByLabel('E-mail address').inputValue()).toBe('')
  await page.keyboard.type('Familie Ohne')
  await page.getByRole('button', { name: 'No e-mail' }).click()
  await page.getByRole('button', { name: 'Send by e-mail…' }).and(page.locator(':focus')).waitFor()
  await page.getByLabel('For whom?').press('Enter')
  await page.getByRole('button', { name: 'Copy' }).waitFor()
  expect(await page.getByText('E-mail to').count()).toBe(0)
})

test('a rejected address is said at once, with the sentence of the mail server', async () => {
  mail.faults.to = { code: 550, text: 'No such mailbox' }
  const page = await createAtDesk()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill('falsch@example.org')
  await page.keyboard.press('Enter')

  await dialog.getByText('E-mail to falsch@example.org rejected by the mail server').waitFor()
  await dialog.getByText('550 No such mailbox').waitFor()
})

long('without a mail server, there is no button', async () => {
  const bare = await startWebApp()
  await seedPerson(bare.db, { role: 'admin' })
  const there = await seedControlledSite(bare.db, simulator, { name: 'Krone' })
  const { session } = await seedPerson(bare.db, { siteIds: [there] })
  const page = await openPage(browser, { url: bare.url, session })
  await page.goto('/desk')
  await page.getByLabel('For whom?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copy' }).waitFor()

  expect(await page.getByRole('button', { name: /E-mail/i }).count()).toBe(0)
})
