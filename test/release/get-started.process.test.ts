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
import { startCleanMachine } from './clean-machine.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = readFileSync(`${root}docs/get-started.md`, 'utf8')

/** The commands of a section of the page, as a person copies them. */
function commandsOf(section: string): string {
  const text = new RegExp(`^## ${section}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(guide)?.[1] ?? ''
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands]) => commands).join('')
}

/** The block of docs/install.md that contains this text, for a folder of the user instead of `/etc`. */
function blockOfInstall(text: string): string {
  const blocks = [...readFileSync(`${root}docs/install.md`, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  const block = blocks.map(([, commands = '']) => commands).find((commands) => commands.includes(text))
  if (!block) throw new Error(`docs/install.md has no block with “${text}”`)
  return block.replaceAll('/etc/', `${machine.home}/`).replaceAll(' -o root -g voucher-service', '')
}

/** A name of a field or a button, which must be on the page: the test does nothing that the page does not say. */
function named(name: string): string {
  if (!guide.includes(`**${name}**`)) throw new Error(`docs/get-started.md does not mention “${name}”`)
  return name
}

const target = mkdtempSync(join(tmpdir(), 'release-'))
onFileEnd(() => rmSync(target, { recursive: true }))
await promisify(execFile)(process.execPath, [`${root}build/package.ts`, target])
const archive = readdirSync(target).find((name) => name.endsWith('.tar.gz')) as string
const unpacked = archive.replace('.tar.gz', '')

const machine = await startCleanMachine()
for (const name of [archive, `${archive}.sha256`]) copyFileSync(join(target, name), join(machine.home, name))
vi.stubEnv('CHROMIUM', machine.chromium)
const browser = await startBrowser()

test('the commands and steps of docs/get-started.md lead from the archive to the first printed voucher', async () => {
  const begin = performance.now()
  const service = machine.run(commandsOf('With the archive'))
  const [, token] = await service.line(/enter the setup token (\w+)"/)
  const readyAfterMs = performance.now() - begin
  const simulator = machine.run(commandsOf('Without a controller'), { cwd: join(machine.home, unpacked) })
  const controller = JSON.parse((await simulator.line(/^\{.*\}$/))[0])
  const [, url] = /Open <(http[^>]+)>/.exec(guide.split('## In the browser')[1] as string) as RegExpExecArray

  const page = await openPage(browser, { url: url as string })
  await page.addInitScript('window.dialogs = 0; window.print = () => { window.dialogs++ }')
  await page.goto('/')
  await fill(page, 'Setup token', token as string)
  await press(page, 'Continue')
  await fill(page, 'Name', 'Katrin Vogt')
  await fill(page, 'E-mail', 'k.vogt@hotel.example')
  await fill(page, 'Password', 'correct horse battery staple')
  await press(page, 'Continue')
  await fill(page, 'Address', controller.url)
  await fill(page, 'API key', controller.api_key)
  await press(page, 'Trust this certificate')
  await page.getByText('The connection works.').waitFor()
  await press(page, 'Continue')
  await fill(page, 'Name of this site', 'Hotel Goldener Adler')
  await press(page, 'Add the site')
  await fill(page, 'Wi-Fi name (SSID)', 'Adler-Gast')
  await press(page, 'Continue')
  await press(page, 'Create the first voucher')
  const code = await page.locator('.code').innerText()
  await press(page, 'Print')
  await expect.poll(() => page.evaluate('window.dialogs')).toBe(1)
  const [sheet, ...more] = await readPaper(await page.pdf({ preferCSSPageSize: true }), 'get-started')
  const seconds = (performance.now() - begin) / 1000

  expect(more).toEqual([])
  expect(sheet?.text).toContain(code)
  expect(sheet?.text).toContain('Hotel Goldener Adler')
  report('seconds from the archive to the log with the setup token, and to the first printed voucher', [
    readyAfterMs / 1000,
    seconds,
  ])
  expect([await service.interrupt(), await simulator.interrupt()]).toEqual([0, 0])
})

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

async function fill(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole('textbox', { name: named(label), exact: true }).fill(value)
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${named(name)}`) }).click()
}
