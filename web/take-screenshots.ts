import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type Frame, writeMovingPicture, writePicture } from './write-pictures.ts'

/** `npm run screenshots` takes the pictures in `docs/images` from two demos, a full one and an empty one. */
const root = fileURLToPath(new URL('../', import.meta.url))
const images = `${root}docs/images`

type Demo = { url: string; sign_in: { email: string; password: string }; sites: number[]; setup_token: string }

/** Labels of the form on the sign-in page. */
const english = { email: 'E-mail', password: 'Password' }
const german = { email: 'E-Mail', password: 'Passwort' }

mkdirSync(images, { recursive: true })
const fonts = mkdtempSync(join(tmpdir(), 'fonts-'))
writeFileSync(join(fonts, 'fonts.conf'), fontRules('Inter', ['Arial', 'sans-serif']))
const running: ChildProcess[] = []
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
  env: { ...process.env, FONTCONFIG_FILE: join(fonts, 'fonts.conf') },
})
try {
  await takeFirstRun(await startDemo('--empty'))
  const demo = await startDemo()
  await takeSignInAndDesk(demo)
  await takeGermanDesk(demo)
  await takePhone(demo)
  await takeAdministration(demo)
  await takeFirstVoucher(demo)
} finally {
  await browser.close()
  await Promise.all(running.map(stop))
  rmSync(fonts, { recursive: true })
}

/**
 * Rules for fontconfig: `font` replaces the `others`, if it is installed. Inter of Debian's `fonts-inter` looks like the
 * fonts that Macs and Windows have; Debian's own sans-serif is much wider.
 */
function fontRules(font: string, others: string[]): string {
  const rules = others.map(
    (other) => `<match><test name="family"><string>${other}</string></test>
      <edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`,
  )
  return `<fontconfig><include>/etc/fonts/fonts.conf</include>${rules.join('')}</fontconfig>`
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
  await page.getByRole('region', { name: 'Recently created' }).waitFor()
  await take(page, 'desk')
  await page.getByLabel('For whom?').fill('Room 204, Brandt')
  await page.keyboard.press('Enter')
  await newVoucher(page, 'Voucher created')
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
  await page.getByLabel('Für wen?').fill('Zimmer 205, Okafor')
  await page.keyboard.press('Enter')
  await newVoucher(page, 'Voucher erstellt')
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
    { name: 'overview', path: '/overview', text: 'Sites by vouchers' },
    { name: 'sites', path: '/sites', text: 'Seminarhaus' },
    { name: 'site', path: `/sites/${sites[0]}`, text: 'The connection works.' },
    { name: 'keys', path: '/keys', text: 'Hotel system' },
    { name: 'webhooks', path: '/webhooks', text: 'Failing since' },
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

/** Takes `first-voucher.webp`, from the name of a guest to the printed slip, and `slip.png`, the slip alone. */
async function takeFirstVoucher({ url, sign_in, sites }: Demo): Promise<void> {
  const size = { width: 1120, height: 640 }
  const page = await open(url, { viewport: size, deviceScaleFactor: 2 })
  // A dialog of the browser would cover the page for ever. The slips stay in the page, as for the dialog.
  await page.addInitScript(`window.print = () => { window.isPrinting = true }`)
  await fillSignIn(page, sign_in, english)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/desk')
  await page.evaluate(`localStorage.setItem('vs.print', '{"paper":"80mm","languages":["en"]}')`)
  await page.goto(`${url}/desk?site=${sites[0]}`, { waitUntil: 'networkidle' })
  await page.getByRole('region', { name: 'Recently created' }).waitFor()

  const frames: Frame[] = []
  const film = async (milliseconds: number) => {
    const png = await page.screenshot({ animations: 'disabled', caret: 'initial', scale: 'css' })
    frames.push({ png, milliseconds })
  }
  await page.getByLabel('For whom?').focus()
  await film(1200)
  for (const letter of 'Suite 7, Lindgren') {
    await page.keyboard.type(letter)
    await film(120)
  }
  await film(700)
  await page.keyboard.press('Enter')
  await newVoucher(page, 'Voucher created')
  await film(2500)
  await page.keyboard.press('Control+p')
  await page.waitForFunction('window.isPrinting')
  const slip = await takeSlip(page)
  frames.push(...(await slideSlip(size, frames.at(-1)?.png as Buffer, slip)))
  writeMovingPicture(`${images}/first-voucher.webp`, frames)
  await page.context().close()
}

/** The slip as the printer gets it, with two dots for each pixel and a grey edge for white pages. */
async function takeSlip(page: Page): Promise<Buffer> {
  await page.emulateMedia({ media: 'print' })
  const slip = page.locator('.vs-slip')
  await slip.evaluate((element) => element.style.setProperty('box-shadow', 'inset 0 0 0 1px #c5cbd6'))
  const png = await slip.screenshot()
  writePicture(`${images}/slip.png`, png)
  return png
}

/** Frames in which the slip comes up over the darkened page. */
async function slideSlip(size: { width: number; height: number }, desk: Buffer, slip: Buffer): Promise<Frame[]> {
  const page = await browser.newPage({ viewport: size })
  await page.setContent(`
    <style>
      body { margin: 0; overflow: hidden; background: url(${dataUrl(desk)}) }
      div { position: absolute; inset: 0; background: rgb(26 31 40 / 55%) }
      img { position: absolute; left: calc(50% - 151px); width: 302px; border-radius: 3px }
    </style>
    <div></div><img src="${dataUrl(slip)}">`)
  const image = page.locator('img')
  const top = (size.height - ((await image.boundingBox())?.height ?? 0)) / 2
  const steps = [0.55, 0.25, 0.1, 0.03, 0]
  const frames: Frame[] = []
  for (const step of steps) {
    await image.evaluate((element, y) => element.setAttribute('style', `top: ${y}px`), top + step * size.height)
    frames.push({ png: await page.screenshot(), milliseconds: step === 0 ? 3500 : 60 })
  }
  await page.context().close()
  return frames
}

function dataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`
}

/** Waits for the voucher and for its QR code, which comes from a file of its own. */
async function newVoucher(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading }).waitFor()
  await page.getByRole('img', { name: /^QR/ }).waitFor()
}

async function fillSignIn(page: Page, person: Demo['sign_in'], labels: typeof english): Promise<void> {
  await page.getByLabel(labels.email).fill(person.email)
  await page.getByLabel(labels.password, { exact: true }).fill(person.password)
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 800 },
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  })
  await page.goto(url)
  return page
}

async function take(page: Page, name: string): Promise<void> {
  writePicture(`${images}/${name}.png`, await page.screenshot({ animations: 'disabled', caret: 'hide' }))
}
