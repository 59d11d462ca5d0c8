import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp()
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const browser = await startBrowser()
const long = test.runIf(isLong)
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const controller = await startSimulator()
const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
const { key } = await seedKey(app.db, { scope: 'write', name: 'Check-in (PMS)' })
const person = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })

/** Creates vouchers on the controller; returns their codes by name. */
async function createVouchers(names: string[], more: object = {}): Promise<Map<string, string>> {
  const codes = new Map<string, string>()
  for (const name of names) {
    const body = JSON.stringify({ site_id: site, name, max_uses: 2, ...more })
    codes.set(name, (await app.call('/api/v2/vouchers', { method: 'POST', key, body })).json().formatted_code)
  }
  return codes
}

async function openVouchers(path = '/vouchers'): Promise<Page> {
  const page = await openPage(browser, { url: app.url, session: person.session })
  await page.goto(path)
  await page.getByRole('heading', { name: 'Vouchers' }).waitFor()
  return page
}

const codesOnController = async () =>
  (await controller.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code)
const plain = (code: string | undefined) => (code ?? '').replace('-', '')

test('filter, revoke three, export: the vouchers are gone on the controller, and the file has what the list has', async () => {
  const codes = await createVouchers(['Konferenz A', 'Konferenz B', 'Konferenz C', 'Konferenz D', 'Zimmer 204'])
  const page = await openVouchers()
  await page.getByText('Zimmer 204').waitFor()

  await page.getByLabel('Name or code').fill('konferenz')
  await page.getByText('Zimmer 204').waitFor({ state: 'hidden' })
  expect(page.url()).toContain('q=konferenz')
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Valid' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Status: Valid' }).waitFor()

  for (const name of ['A', 'B', 'C'])
    await page.getByRole('checkbox', { name: `Select Konferenz ${name}`, exact: false }).check()
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Revoke 3…' }).click()
  await page.getByText('3 vouchers stop working.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Revoke 3 vouchers' }).click()
  await page.getByText('3 vouchers revoked').waitFor()
  await page.getByRole('button', { name: 'Select Konferenz A', exact: false }).waitFor({ state: 'hidden' })

  const left = await codesOnController()
  for (const name of ['Konferenz A', 'Konferenz B', 'Konferenz C']) expect(left).not.toContain(plain(codes.get(name)))
  expect(left).toContain(plain(codes.get('Konferenz D')))

  await page.getByRole('button', { name: 'Clear the filter “Status”' }).click()
  await page.getByText('Konferenz A').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'For programs' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^vouchers-\d{4}-\d\d-\d\d\.csv$/)
  const rows: Record<string, string>[] = parse(await readFile(await file.path(), 'utf8'), { bom: true, columns: true })
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ['Konferenz D', 'valid'],
    ['Konferenz C', 'revoked'],
    ['Konferenz B', 'revoked'],
    ['Konferenz A', 'revoked'],
  ])

  const readable = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'For Excel and other spreadsheets' }).waitFor()
  await expectAccessible(page, 'vouchers export menu', { widths: [1440] })
  await page.getByRole('menuitem', { name: 'For Excel and other spreadsheets' }).click()
  const saved = await readFile(await (await readable).path(), 'utf8')
  expect(saved.startsWith('\ufeffSite,Name,Code,Status,Created')).toBe(true)
  expect(parse(saved, { bom: true, columns: true })).toMatchObject([
    { Name: 'Konferenz D', Status: 'Valid' },
    { Name: 'Konferenz C', Status: 'Revoked' },
    { Name: 'Konferenz B', Status: 'Revoked' },
    { Name: 'Konferenz A', Status: 'Revoked' },
  ])
})

test('by keyboard: / searches a code, J K X move and select, Enter opens, Esc closes', async () => {
  const codes = await createVouchers(['Tastatur 1', 'Tastatur 2', 'Tastatur 3'])
  const page = await openVouchers('/vouchers?q=tastatur')
  await page.getByText('Tastatur 3').waitFor()

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('k')
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('2 selected').waitFor({ state: 'hidden' })

  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('heading', { name: 'Tastatur 3' }).waitFor()
  await drawer.getByText('Created by Check-in (PMS)').waitFor()
  await page.keyboard.press('j')
  await drawer.getByText(codes.get('Tastatur 2') as string).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })

  await page.keyboard.press('/')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type((codes.get('Tastatur 1') as string).slice(0, 7))
  await page.getByText('Tastatur 2').waitFor({ state: 'hidden' })
  await page.getByText('Tastatur 1').waitFor()
})

long('a pause after a space keeps the space in the search field; *Clear filters* empties the field', async () => {
  await createVouchers(['Anna Berger', 'Anna Huber'])
  const page = await openVouchers()
  const field = page.getByLabel('Name or code')
  await page.getByText('Anna Huber').waitFor()

  await field.pressSequentially('Anna ')
  await atUrl(page, /q=Anna/)
  await field.pressSequentially('Berger')
  await page.getByText('Anna Huber').waitFor({ state: 'hidden' })
  await expect.poll(() => field.inputValue()).toBe('Anna Berger')
  await expect.poll(() => page.getByText('Anna Berger').count()).toBe(1)

  await field.pressSequentially('x')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('Anna Huber').waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
})

test('a link opens the drawer; the voucher is extended and revoked there, and the timeline says who did it', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const later = new Date(Date.now() + 7 * 86_400_000).toISOString()
  await createVouchers(['Zimmer 311'], { valid_until: until, extendable_until: later })
  const { rows } = await app.db.query<{ id: string }>(`select id from vouchers where name = 'Zimmer 311'`)
  const id = `${site}-${rows[0]?.id}`
  const body = JSON.stringify({ name: 'Zimmer 312', reference: 'R-312', valid_until: null })
  for (const change of [body, JSON.stringify({ valid_until: until })])
    expect((await app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', key, body: change })).status).toBe(200)
  const page = await openVouchers(`/vouchers?voucher=${id}`)
  const drawer = page.getByRole('dialog').first()
  for (const words of ['changed the name', 'changed the reference', 'removed the end'])
    await drawer.getByText(`Check-in (PMS) ${words}`, { exact: true }).waitFor()

  await drawer.getByRole('button', { name: 'Extend…' }).click()
  await page.getByRole('button', { name: 'Extend by 1 day' }).click()
  await drawer.getByText('Anna Weber changed the end to', { exact: false }).waitFor()

  await drawer.getByRole('button', { name: 'Revoke this voucher…' }).click()
  await page.getByRole('button', { name: 'Revoke voucher' }).click()
  await drawer.getByText('Anna Weber requested the revocation').waitFor()
  await drawer.getByText('Revoked', { exact: true }).first().waitFor()
  await vi.waitFor(async () => expect(await drawer.getByRole('button', { name: 'Extend…' }).count()).toBe(0))
})

test('pointing at a time shows the full time, until the pointer leaves or Escape is pressed', async () => {
  await createVouchers(['Zimmer 501'])
  const page = await openVouchers()
  const time = page.getByRole('row', { name: 'Zimmer 501' }).locator('time').first()
  const tooltip = page.getByRole('tooltip')
  await time.hover()
  await tooltip.filter({ hasText: String(new Date().getFullYear()) }).waitFor()
  await page.getByRole('heading', { name: 'Vouchers' }).hover()
  await tooltip.waitFor({ state: 'hidden' })

  await time.hover()
  await tooltip.waitFor()
  await page.keyboard.press('Escape')
  await tooltip.waitFor({ state: 'hidden' })
})

long('while another export runs, the page says so and offers to try again', async () => {
  await createVouchers(['Zimmer 401'])
  const page = await openVouchers()
  await page.getByText('Zimmer 401').waitFor()
  const message = 'Another export of yours is running. Please try again in a moment.'
  const json = { error: 'exports_too_many', message, request_id: '019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2' }
  await page.route(
    '**/vouchers.csv*',
    (route) => route.fulfill({ status: 429, json, headers: { 'retry-after': '2' } }),
    {
      times: 1,
    },
  )
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'For programs' }).click()
  const alert = page.getByRole('alert').filter({ hasText: message })
  await alert.getByText('The file was not saved').waitFor()
  await expectAccessible(page, 'vouchers export busy')

  const download = page.waitForEvent('download')
  await alert.getByRole('button', { name: 'Try again' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain('Zimmer 401')
  await alert.waitFor({ state: 'hidden' })
})
