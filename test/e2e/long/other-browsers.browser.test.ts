import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type OtherPage, startFirefox, startWebKit } from '#test/other-browsers.ts'
import { startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const shape = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null, maxUses: 2 }
await addTemplate(app.db, testActor, { ...shape, name: '1 day', expireMinutes: 1_440 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

/** Finds a visible element by the text that a person sees: the label of a field, or the words of a control. */
const find = `(kind, words) => {
  const isShown = (each) => each.getClientRects().length > 0 && getComputedStyle(each).visibility !== 'hidden'
  const wordsOf = (each) => each.getAttribute('aria-label') ?? each.innerText.trim()
  const shown = (selector) => [...document.querySelectorAll(selector)].filter(isShown)
  const begins = (text) => text.replace(/\\s+/g, ' ').startsWith(words)
  if (kind === 'field')
    return shown('input, textarea').find((each) => begins(each.labels?.[0]?.innerText ?? wordsOf(each))) ?? null
  const controls = 'button, a, [role=menuitem], [role=tab], [role=radio], label, td'
  return shown(controls).find((each) => begins(wordsOf(each))) ?? null
}`

/** Waits for the element, because a page may still be loading. */
async function waitFor(page: OtherPage, kind: 'field' | 'control', words: string): Promise<void> {
  const isThere = `(kind, words) => (${find})(kind, words) !== null`
  for (let tries = 0; !(await page.run<boolean>(isThere, kind, words)); tries++) {
    if (tries > 300) throw new Error(`No ${kind} "${words}" on: ${await page.run('() => document.body.innerText')}`)
    await pause(100)
  }
}

async function click(page: OtherPage, words: string): Promise<void> {
  await waitFor(page, 'control', words)
  await page.click(find, 'control', words)
}

async function fill(page: OtherPage, label: string, text: string): Promise<void> {
  await waitFor(page, 'field', label)
  await page.click(find, 'field', label)
  await page.type(text)
}

async function waitForText(page: OtherPage, text: string): Promise<void> {
  await expect.poll(() => page.run<string>('() => document.body.innerText')).toContain(text)
}

test.each([
  ['Firefox', startFirefox],
  ['WebKit', startWebKit],
])('a day at the desk in %s', async (_, start) => {
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
  const password = 'correct horse battery staple'
  const { email } = await seedPerson(app.db, { siteIds: [site], password, name: 'Anna Weber' })
  const page = await start()
  report('browser', page.browser)

  await page.goto(`${app.url}/desk`)
  await fill(page, 'E-mail', email)
  await fill(page, 'Password', password)
  await page.press('Enter')

  await fill(page, 'For whom?', 'Familie Huber')
  await page.press('Enter')
  await waitForText(page, 'Voucher created')
  const [voucher] = await controller.vouchers()
  const code = `${voucher?.code.slice(0, 5)}-${voucher?.code.slice(5)}`
  await waitForText(page, code)

  await pause(700) // *Next guest* is ignored for a moment, so that a double press does not hide a code
  await click(page, 'Next guest')
  await fill(page, 'For whom?', 'Familie Brandt')
  await click(page, 'Customise')
  await click(page, 'Until date')
  await click(page, 'Create voucher')
  await waitForText(page, 'Voucher created')
  await click(page, 'Familie Brandt') // in the list of new vouchers
  const before = await endOf('Familie Brandt')
  await click(page, 'Extend…')
  await click(page, 'Extend by 1 day')
  await waitForText(page, 'Its code is the same.')
  expect(((await endOf('Familie Brandt')) - before) / 3_600_000).toBeOneOf([23, 24, 25])

  await page.goto(`${app.url}/desk?many=new`)
  await fill(page, 'For whom?', 'Zimmer 1')
  await page.press('Enter')
  await page.type('Zimmer 2')
  await click(page, 'Create 2 vouchers')
  await waitForText(page, '2 vouchers created')
  expect((await controller.vouchers()).map(({ name }) => name).toSorted()).toHaveLength(4)

  await page.goto(`${app.url}/vouchers`)
  await fill(page, 'Name or code', 'huber')
  await click(page, code) // in the table
  await waitForText(page, 'Created by Anna Weber')
  await page.press('Escape')

  await click(page, 'AW Anna Weber') // the menu of the person
  await click(page, 'Sign out')
  await waitFor(page, 'field', 'E-mail')
  expect(await page.run<string>('() => document.body.innerText')).not.toContain('Huber')

  async function endOf(name: string): Promise<number> {
    const { rows } = await app.db.query<{ until: Date }>(
      'select valid_until as until from vouchers where site_id = $1 and name = $2',
      [site, name],
    )
    return rows[0]?.until.getTime() ?? Number.NaN
  }
})
