import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { atUrl, startBrowser } from '#test/browser.ts'
import { runCommand } from '#test/command.ts'
import { databaseUrl, queryServer, serverUrl } from '#test/data/template-database.ts'
import { median, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { readPaper } from '#test/paper.ts'
import { startDemo } from '#test/service.ts'
import { openPage } from '#test/web.ts'

/** Owns the database of the full demo. The demo does not print the name of the database. */
const owner = `demo_flows_${process.pid}`
await queryServer(`create role ${owner} login createdb`)
onFileEnd(() => queryServer(`drop role ${owner}`))
const { facts: demo } = await startDemo({
  databaseUrl: Object.assign(new URL(serverUrl), { username: owner }).href,
})
const browser = await startBrowser()

const codeOnPage = /^\d{5}-\d{5}$/
const shownCode = (page: Page) => page.getByText(codeOnPage).first().innerText()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

async function codesOn(controller: string): Promise<string[]> {
  const vouchers = await call(`${controller}/control/vouchers`, { trustAnyone: true })
  return vouchers.json().map(({ code }: { code: string }) => `${code.slice(0, 5)}-${code.slice(5)}`)
}

/** Signs in with the keyboard only: the field for the e-mail address has the focus. */
async function typeSignIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.locator('input[type=email]:focus').waitFor()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await atUrl(page, /\/desk/)
}

test('from the first run of an empty service to the first printed voucher', async () => {
  const { url, setup_token, controllers } = (await startDemo({ options: ['--empty'] })).facts
  const page = await openPage(browser, { url })
  await page.addInitScript('window.print = () => { window.dialogs = (window.dialogs ?? 0) + 1 }')
  await page.goto('/')
  await page.getByLabel('Setup token').fill(setup_token)
  await page.keyboard.press('Enter')
  await page.getByLabel('Name').fill('Katrin Vogt')
  await page.getByLabel('E-mail').fill('k.vogt@provider.example')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
  await page.keyboard.press('Enter')
  await heading(page, 'Connect a controller')
  await page.getByLabel('Address').fill(controllers[0].address)
  await page.locator('input[type=password]').fill(controllers[0].secret)
  await page.getByRole('button', { name: 'Trust this certificate' }).click()
  await page.getByText('The connection works.').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /^Add all/ }).waitFor()
  await page.getByRole('checkbox', { name: /^All/ }).uncheck()
  await page.getByRole('checkbox', { name: 'main', exact: true }).check()
  await page.getByLabel('Name of the site main').fill('Hotel Goldener Adler')
  await page.getByRole('button', { name: 'Add 1 site' }).click()
  await page.getByLabel('Wi-Fi name (SSID)').fill('Adler Gäste')
  await page.getByText('With password').click()
  await page
    .getByLabel('Wi-Fi password', { exact: true })
    .and(page.locator('input[type=password]'))
    .fill('am-wolfgangsee')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Create the first voucher' }).waitFor()
  await page.getByRole('link', { name: 'Go to the desk now' }).click()
  await page.getByLabel('For whom?').waitFor()
  expect(await page.getByRole('radio').count()).toBe(6) // one or many; three templates, and "Customise"
  await page.keyboard.type('Familie Huber')
  await page.keyboard.press('Enter')
  await heading(page, 'Voucher created')
  const code = await shownCode(page)
  await page.keyboard.press('Control+p')
  await expect.poll(() => page.evaluate('window.dialogs')).toBe(1)
  const [sheet, ...more] = await readPaper(await page.pdf({ preferCSSPageSize: true }), 'first voucher')

  expect(await codesOn(controllers[0].address)).toEqual([code])
  expect(more).toEqual([])
  expect(sheet).toMatchObject({ widthMm: 210, heightMm: 297 })
  expect(sheet?.text).toContain(code)
  expect(sheet?.text).toContain('Familie Huber')
  expect(sheet?.qrCodes.map(({ text }) => text)).toEqual(['WIFI:T:WPA;S:Adler Gäste;P:am-wolfgangsee;;'])
})

const languages = [
  ['en-GB', { site: 'Site', name: 'For whom?', made: 'Voucher created', title: 'New voucher' }],
  ['de-DE', { site: 'Standort', name: 'Für wen?', made: 'Voucher erstellt', title: 'Neuer Voucher' }],
] as const

test.each(languages)('from the sign-in to a code without a mouse, in %s', async (locale, words) => {
  const page = await openPage(browser, { url: demo.url, locale })
  await page.goto('/')
  await typeSignIn(page, demo.sign_in)
  await page.goto('/desk?site=1') // a person with one site gets there at once
  await page.getByLabel(words.name).waitFor()
  const times: number[] = []
  for (const guest of ['Zimmer 101', 'Zimmer 102', 'Zimmer 103', 'Zimmer 104', 'Zimmer 105']) {
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(guest)
    const begin = performance.now()
    await page.keyboard.press('Enter')
    await heading(page, words.made)
    const code = await shownCode(page)
    times.push(performance.now() - begin)
    expect(await codesOn(demo.controller)).toContain(code)
    await expect
      .poll(async () => {
        await page.keyboard.press('n') // ignored for a moment, so that a double press does not hide a code
        return page.getByRole('heading', { name: words.title }).isVisible()
      })
      .toBe(true)
  }

  report(`demo, code visible after ms in ${locale}, median of 5`, median(times))
  expect(median(times)).toBeLessThan(1_500)
  expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2))
})

test('a code that was redeemed a second ago is shown as used, in German', async () => {
  const page = await openPage(browser, { url: demo.url, locale: 'de-DE' })
  await page.goto('/desk?site=1')
  await typeSignIn(page, demo.sign_in)
  await page.getByLabel('Für wen?').fill('Familie Huber')
  await page.keyboard.press('Enter')
  await heading(page, 'Voucher erstellt')
  const code = await shownCode(page)
  const guest = JSON.stringify({ code: code.replace('-', ''), mac: 'aa:00:00:00:00:01' })
  const redeemed = await call(`${demo.controller}/control/redeem`, { method: 'POST', body: guest, trustAnyone: true })
  expect(redeemed.status, redeemed.text).toBe(200)
  const check = page.getByRole('region', { name: 'Code prüfen' })
  await check.getByRole('textbox').fill(code)
  await page.keyboard.press('Enter')
  await check.getByText('Gerade beim Controller nachgefragt.').waitFor()

  expect(await check.innerText()).toMatch(/^Benutzt · bis [\s\S]*^Familie Huber · /m)
})

test('a person who was invited to one site sees no other, not even by its address', async () => {
  const person = ['--name', 'Anna Weber', '--email', 'anna@adler.example', '--role', 'desk', '--site', '2']
  const invited = await runCommand(await databaseOfDemo(), ['staff', 'add', ...person])
  expect(invited.exitCode, invited.stderr).toBe(0)
  const [token] = /(?<=#)[\w-]+/.exec(invited.stdout) ?? []
  const page = await openPage(browser, { url: demo.url })
  await page.goto(`/password#${token}`)
  await page.getByLabel('New password').fill('correct horse battery staple')
  await page.keyboard.press('Enter')
  await page.getByLabel('For whom?').waitFor()
  const statuses = (paths: string[]) =>
    page.evaluate<number[]>(
      `Promise.all(${JSON.stringify(paths)}.map((path) => fetch('/api/v2' + path).then(({ status }) => status)))`,
    )

  for (const path of ['/desk', '/desk?site=1', '/desk?site=3', '/desk?site=4']) {
    await page.goto(path)
    await page.getByLabel('For whom?').or(page.getByText('This site is not active')).first().waitFor()
    await page.getByText('Nebengebäude').first().waitFor()
    const text = await page.locator('body').innerText()
    expect(text).not.toMatch(/Hauptgebäude|Seminarhaus|Baustelle/)
  }
  expect(await statuses(['/sites/1', '/sites/2', '/sites/3/guest-info', '/vouchers?site_id=1'])).toEqual([
    404, 200, 404, 404,
  ])
})

async function databaseOfDemo(): Promise<string> {
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  const { rows } = await client.query('select datname from pg_database where datdba = to_regrole($1)', [owner])
  await client.end()
  return databaseUrl(rows[0].datname)
}
