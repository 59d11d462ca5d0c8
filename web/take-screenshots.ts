import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** `npm run screenshots` takes the pictures in `docs/images` from two demos, a full one and an empty one. */
const root = fileURLToPath(new URL('../', import.meta.url))
const images = `${root}docs/images`

type Demo = { url: string; sign_in: { email: string; password: string }; sites: number[]; setup_token: string }

/** Labels of the form on the sign-in page. */
const english = { email: 'E-mail', password: 'Password' }
const german = { email: 'E-Mail', password: 'Passwort' }

mkdirSync(images, { recursive: true })
const running: ChildProcess[] = []
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
})
try {
  await takeFirstRun(await startDemo('--empty'))
  const demo = await startDemo()
  await takeSignInAndDesk(demo)
  await takeGermanDesk(demo)
  await takePhone(demo)
  await takeAdministration(demo)
} finally {
  await browser.close()
  await Promise.all(running.map(stop))
}

/** Starts a demo on a free port and returns what it prints for programs when it is ready. */
async function startDemo(...options: string[]): Promise<Demo> {
  const args = [`${root}bin/voucher-service.js`, 'demo', '--port', '0', ...options]
  const demo = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  running.push(demo)
  for await (const line of createInterface({ input: demo.stdout })) return JSON.parse(line)
  throw new Error('The demo ended before it was ready. Run `npm run demo` to see why.')
}

async function stop(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null) return
  const ended = new Promise((resolve) => demo.once('exit', resolve))
  demo.kill('SIGTERM')
  await ended
}

async function takeFirstRun({ url, setup_token }: Demo): Promise<void> {
  const page = await open(url)
  await page.getByLabel('Setup token').fill(setup_token)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Name').fill('Katrin Vogt')
  await page.getByLabel('E-mail').fill('k.vogt@provider.example')
  await page.getByLabel('Password', { exact: true }).fill('four random words')
  await take(page, 'first-run')
}

async function takeSignInAndDesk({ url, sign_in, sites }: Demo): Promise<void> {
  const page = await open(url)
  await fillSignIn(page, sign_in, english)
  await take(page, 'sign-in')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/desk')
  await page.goto(`${url}/desk?site=${sites[0]}`, { waitUntil: 'networkidle' })
  await page.getByText('Familie Huber').waitFor()
  await take(page, 'desk')
  await page.getByLabel('For whom?').fill('Room 204')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Voucher created' }).waitFor()
  await take(page, 'desk-voucher')
  await page.goto(`${url}/desk?site=${sites[0]}`, { waitUntil: 'networkidle' })
  await page.getByText('Many', { exact: true }).click()
  await page.getByLabel('For whom?').fill('Room 101\nRoom 102\nRoom 103')
  await take(page, 'desk-many')
  await page.context().close()
}

async function takeGermanDesk({ url, sign_in, sites }: Demo): Promise<void> {
  const page = await open(url, { locale: 'de-DE' })
  await fillSignIn(page, sign_in, german)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/desk')
  await page.goto(`${url}/desk?site=${sites[0]}`, { waitUntil: 'networkidle' })
  await page.getByLabel('Für wen?').fill('Zimmer 205')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Voucher erstellt' }).waitFor()
  await take(page, 'desk-voucher-de')
  await page.context().close()
}

async function takePhone({ url, sign_in, sites }: Demo): Promise<void> {
  const page = await open(url, { viewport: { width: 390, height: 844 } })
  await fillSignIn(page, sign_in, english)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/desk')
  await page.goto(`${url}/desk?site=${sites[0]}`, { waitUntil: 'networkidle' })
  await page.getByText('Zimmer 205').waitFor()
  await take(page, 'desk-phone')
  await page.context().close()
}

async function takeAdministration({ url, sign_in, sites }: Demo): Promise<void> {
  const page = await open(url, { viewport: { width: 1440, height: 760 } })
  await fillSignIn(page, sign_in, english)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/desk')
  // Each picture is taken when its page shows this text, which comes with the data.
  const pages = [
    { name: 'vouchers', path: '/vouchers', text: 'Seminarhaus' },
    { name: 'overview', path: '/overview', text: 'Everything works.' },
    { name: 'sites', path: '/sites', text: 'Seminarhaus' },
    { name: 'site', path: `/sites/${sites[0]}`, text: 'The connection works.' },
    { name: 'keys', path: '/keys', text: 'Demo write' },
    { name: 'settings', path: '/settings', text: sign_in.email },
    { name: 'audit', path: '/audit', text: 'signed in' },
  ]
  for (const { name, path, text } of pages) {
    await page.goto(url + path, { waitUntil: 'networkidle' })
    await page.getByRole('main').getByText(text).first().waitFor()
    await take(page, name)
  }
  await page.context().close()
}

async function fillSignIn(page: Page, person: Demo['sign_in'], labels: typeof english): Promise<void> {
  await page.getByLabel(labels.email).fill(person.email)
  await page.getByLabel(labels.password, { exact: true }).fill(person.password)
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  })
  await page.goto(url)
  return page
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${images}/${name}.png`, animations: 'disabled', caret: 'hide' })
}
