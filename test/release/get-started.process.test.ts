import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { startBrowser } from '#test/browser.ts'
import { isLong, report } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { readPaper } from '#test/paper.ts'
import { openPage } from '#test/web.ts'
import { type CleanMachine, startCleanMachine } from './clean-machine.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The page in a language, and how its steps call sections, fields and buttons. */
type Guide = { text: string; locale: string; nameOf(english: string): string }

const english: Guide = { text: readPage('docs/get-started.md'), locale: 'en-GB', nameOf: (name) => name }

const germanNames: Record<string, string> = {
  'With the archive': 'Mit dem Archiv',
  'Without a controller': 'Ohne Controller',
  'In the browser': 'Im Browser',
  'Setup token': 'Einrichtungs-Token',
  Continue: 'Weiter',
  Name: 'Name',
  'E-mail': 'E-Mail',
  Password: 'Passwort',
  Address: 'Adresse',
  'API key': 'API-Schlüssel',
  'Test the connection': 'Verbindung testen',
  'Trust this certificate': 'Diesem Zertifikat vertrauen',
  'The connection works.': 'Die Verbindung funktioniert.',
  'Name of this site': 'Name dieses Standorts',
  'Add the site': 'Den Standort hinzufügen',
  'Wi-Fi name (SSID)': 'WLAN-Name (SSID)',
  'Create the first voucher': 'Ersten Voucher erstellen',
  Print: 'Drucken',
}
const german: Guide = {
  text: readPage('docs/de/get-started.md'),
  locale: 'de-DE',
  nameOf: (name) => germanNames[name] as string,
}

function readPage(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8')
}

function sectionOf(guide: Guide, section: string): string {
  const heading = guide.nameOf(section)
  return new RegExp(`^## ${heading}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(guide.text)?.[1] ?? ''
}

/** The commands of a section of the page, as a person copies them. */
function commandsOf(section: string, guide = english): string {
  return [...sectionOf(guide, section).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands]) => commands).join('')
}

/** The block of docs/install.md that contains this text, for a folder of the user instead of `/etc`. */
function blockOfInstall(text: string): string {
  const blocks = [...readFileSync(`${root}docs/install.md`, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  const block = blocks.map(([, commands = '']) => commands).find((commands) => commands.includes(text))
  if (!block) throw new Error(`docs/install.md has no block with “${text}”`)
  return block.replaceAll('/etc/', `${machine.home}/`).replaceAll(' -o root -g voucher-service', '')
}

const target = mkdtempSync(join(tmpdir(), 'release-'))
onFileEnd(() => rmSync(target, { recursive: true }))
await promisify(execFile)(process.execPath, [`${root}build/package.ts`, target])
const archive = readdirSync(target).find((name) => name.endsWith('.tar.gz')) as string
const unpacked = archive.replace('.tar.gz', '')

async function startMachineWithArchive(): Promise<CleanMachine> {
  const machine = await startCleanMachine()
  for (const name of [archive, `${archive}.sha256`]) copyFileSync(join(target, name), join(machine.home, name))
  return machine
}

const machine = await startMachineWithArchive()

test('the commands and steps of docs/get-started.md lead from the archive to the first printed voucher', async () => {
  await followSteps(english, machine)
})

test.runIf(isLong)('the commands and steps of docs/de/get-started.md do the same', async () => {
  await followSteps(german, await startMachineWithArchive())
})

async function followSteps(guide: Guide, { run, home, chromium }: CleanMachine): Promise<void> {
  const begin = performance.now()
  const service = run(commandsOf('With the archive', guide))
  const [, token] = await service.line(/enter the setup token (\w+)"/)
  const readyAfterMs = performance.now() - begin
  const simulator = run(commandsOf('Without a controller', guide), { cwd: join(home, unpacked) })
  const controller = JSON.parse((await simulator.line(/^\{.*\}$/))[0])
  const [, url] = /<(http[^>]+)>/.exec(sectionOf(guide, 'In the browser')) as RegExpExecArray

  vi.stubEnv('CHROMIUM', chromium)
  const browser = await startBrowser()
  vi.unstubAllEnvs() // otherwise the browser of the next machine would run in the network of this one
  const page = await openPage(browser, { url: url as string, locale: guide.locale })
  const { fill, press } = stepsOn(page, guide)
  await page.addInitScript('window.dialogs = 0; window.print = () => { window.dialogs++ }')
  await page.goto('/')
  await fill('Setup token', token as string)
  await press('Continue')
  await fill('Name', 'Katrin Vogt')
  await fill('E-mail', 'k.vogt@hotel.example')
  await fill('Password', 'correct horse battery staple')
  await press('Continue')
  await fill('Address', controller.url)
  await fill('API key', controller.api_key)
  await press('Test the connection')
  await press('Trust this certificate')
  await page.getByText(guide.nameOf('The connection works.')).waitFor()
  await press('Continue')
  await fill('Name of this site', 'Hotel Goldener Adler')
  await press('Add the site')
  await fill('Wi-Fi name (SSID)', 'Adler-Gast')
  await press('Continue')
  await press('Create the first voucher')
  const code = await page.locator('.code').innerText()
  await press('Print')
  await expect.poll(() => page.evaluate('window.dialogs')).toBe(1)
  const [sheet, ...more] = await readPaper(await page.pdf({ preferCSSPageSize: true }), `get-started-${guide.locale}`)
  const seconds = (performance.now() - begin) / 1000

  expect(more).toEqual([])
  expect(sheet?.text).toContain(code)
  expect(sheet?.text).toContain('Hotel Goldener Adler')
  report(
    `${guide.locale}: seconds from the archive to the log with the setup token, and to the first printed voucher`,
    [readyAfterMs / 1000, seconds],
  )
  expect([await service.interrupt(), await simulator.interrupt()]).toEqual([0, 0])
}

test('the commands can be repeated: they keep the database, its password and the key', async () => {
  const read = () => ['database-url', 'encryption-keys'].map((name) => readFileSync(join(folder, name), 'utf8'))
  const folder = join(machine.home, unpacked)
  const before = read()

  const service = machine.run(commandsOf('With the archive'))
  await service.line(/role "vouchers" already exists/)
  await service.line(/api is listening on/)

  expect(await service.interrupt()).toBe(0)
  expect(read()).toEqual(before)
})

test('docs/install.md creates no second database, and uses the database and the key of get-started.md', async () => {
  const folder = join(machine.home, unpacked)
  const settings = join(machine.home, 'voucher-service/settings.env')

  const installed = `voucher-service() { "${folder}/bin/voucher-service.js" "$@"; }\n` // a link in /usr/local/bin

  const create = machine.run(installed + blockOfInstall('create role vouchers'))
  await create.line(/role "vouchers" already exists/)
  await create.ended
  expect(existsSync(settings)).toBe(false)

  expect(await machine.run(blockOfInstall('cat encryption-keys'), { cwd: folder }).ended).toBe(0)
  const reused = readFileSync(settings, 'utf8')
  expect(reused).toContain(`ENCRYPTION_KEYS=${readFileSync(join(folder, 'encryption-keys'), 'utf8')}`)
  const list = machine.run('./bin/voucher-service.js --settings ../voucher-service/settings.env staff list', {
    cwd: folder,
  })
  await list.line(/k\.vogt@hotel\.example/)

  await machine.run(installed + blockOfInstall('create role vouchers')).ended
  expect(readFileSync(settings, 'utf8')).toBe(reused)
})

test('the archive starts in 2 s as a user who can write nowhere', async () => {
  const folder = join(machine.home, unpacked)
  const settings = 'export DATABASE_URL_FILE=database-url ENCRYPTION_KEYS_FILE=encryption-keys'
  const refused = machine.run('touch ../file', { cwd: folder, readOnlyHome: true })
  expect([await refused.ended, (await refused.line(/touch.*/))[0]]).toEqual([1, expect.stringContaining('Read-only')])

  const begin = performance.now()
  const service = machine.run(`${settings}\nexec ./bin/voucher-service.js start`, { cwd: folder, readOnlyHome: true })
  await service.line(/api is listening on/)
  const readyAfterMs = performance.now() - begin

  report('ms until the unpacked archive is ready', readyAfterMs)
  expect(await service.interrupt()).toBe(0)
  if (isLong) expect(readyAfterMs).toBeLessThan(2_000) // in CI, other tests need the processors at the same time
})

/** Fills fields and presses buttons by their names, which must be on the page: the test does nothing that the page does not say. */
function stepsOn(page: Page, guide: Guide) {
  const named = (english: string) => {
    const name = guide.nameOf(english)
    if (!guide.text.includes(`**${name}**`)) throw new Error(`The page does not mention “${name}”`)
    return name
  }
  return {
    fill: (label: string, value: string) => page.getByRole('textbox', { name: named(label), exact: true }).fill(value),
    press: (name: string) => page.getByRole('button', { name: new RegExp(`^${named(name)}`) }).click(),
  }
}
