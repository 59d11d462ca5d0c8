import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const browser = await startBrowser()
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '1 day', expireMinutes: 1440, maxUses: 2 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

/** The print dialog of the browser is replaced. `printed` gets the code and the paper of each slip, from all tabs. */
async function openDesk(locale: string) {
  const site = await seedControlledSite(app.db, await startSimulator(), { name: 'Hotel Goldener Adler' })
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session, locale })
  const printed: string[] = []
  await page.context().exposeFunction('notePrint', (slip: string) => void printed.push(slip))
  await page.context().addInitScript(`window.print = () => {
    const [code] = document.querySelector('.vs-print').textContent.match(/\\d{5}-\\d{5}/)
    const [size] = [...document.querySelectorAll('style')].map(({ textContent }) => textContent.match(/@page { size: (\\S+)/)).filter(Boolean)
    window.notePrint(code + ' ' + size[1].replace(';', ''))
  }`)
  await page.goto('/desk')
  return { page, printed }
}

async function create(page: Page, name: string): Promise<string> {
  await page.getByLabel(/^(For whom\?|Für wen\?)$/).fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^(Voucher created|Voucher erstellt)$/ }).waitFor()
  return code(page)
}

const code = (page: Page) =>
  page
    .getByText(/^\d{5}-\d{5}$/)
    .first()
    .innerText()

async function nextGuest(page: Page): Promise<void> {
  await page.waitForTimeout(700) // N is ignored for a moment, so that a double press does not hide a code
  await page.keyboard.press('n')
}

/** Switches printing on, and the paper to 80 mm. */
async function switchOn(page: Page, menu: string, paper: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menuitemcheckbox', { name: paper }).click()
  await page.getByRole('menuitemcheckbox', { name: item }).click()
  await page.getByRole('menuitemcheckbox', { name: item, checked: true }).waitFor()
  await page.keyboard.press('Escape')
}

test('each new voucher is printed once, on the paper of this computer', async () => {
  const { page, printed } = await openDesk('en-GB')
  await create(page, 'Familie Huber') // printing is still off
  await switchOn(page, 'Paper and language', '80 mm, one slip per voucher', 'Print automatically after creating')
  await nextGuest(page)
  const second = await create(page, 'Familie Berg')
  await expect.poll(() => printed).toEqual([`${second} 80mm`])

  await page.reload()
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()
  const stored = await page.evaluate<string>('JSON.stringify(sessionStorage)')
  const tab = await page.context().newPage() // a copy of the tab, as *Duplicate tab* makes it
  await tab.addInitScript(`Object.assign(sessionStorage, ${stored})`)
  await tab.goto('/desk')
  await tab.getByRole('heading', { name: 'Voucher created' }).waitFor()
  expect(await code(tab)).toBe(second)
  await tab.waitForLoadState('networkidle')
  await tab.close()
  await page.getByRole('region', { name: 'Recently created' }).getByText('Familie Huber').click()
  await page.getByRole('heading', { name: 'Voucher', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Back to the form' }).click()
  await page.keyboard.press('Control+z')
  const third = await create(page, 'Familie Kern')

  await expect.poll(() => printed).toEqual([second, third].map((one) => `${one} 80mm`))
})

test.runIf(isLong)('a list is not printed by itself; in German, the switch has the same effect', async () => {
  const { page, printed } = await openDesk('de-DE')
  await create(page, 'Familie Huber')
  await switchOn(page, 'Papier und Sprache', '80 mm, ein Zettel je Voucher', 'Nach dem Erstellen automatisch drucken')
  await page.getByText('Mehrere', { exact: true }).click()
  await page.getByLabel('Für wen?').fill('Ahrens\nBaumann')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: '2 drucken' }).waitFor()
  await page.getByText('Einer', { exact: true }).click()
  await nextGuest(page)
  const last = await create(page, 'Familie Berg')

  await expect.poll(() => printed).toEqual([`${last} 80mm`])
})
