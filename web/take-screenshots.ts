import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'

/** `npm run screenshots` takes the pictures in `docs/images` from two demos, a full one and an empty one. */
const root = fileURLToPath(new URL('../', import.meta.url))
const images = `${root}docs/images`

type Demo = { url: string; sign_in: { email: string; password: string }; sites: number[]; setup_token: string }

mkdirSync(images, { recursive: true })
const running: ChildProcess[] = []
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  await takeFirstRun(await startDemo('--empty'))
  await takeSignInAndDesk(await startDemo())
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
  await page.getByLabel('E-mail').fill(sign_in.email)
  await page.getByLabel('Password', { exact: true }).fill(sign_in.password)
  await take(page, 'sign-in')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/desk')
  await page.goto(`${url}/desk?site=${sites[0]}`, { waitUntil: 'networkidle' })
  await take(page, 'desk')
}

async function open(url: string): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  await page.goto(url)
  return page
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${images}/${name}.png`, animations: 'disabled', caret: 'hide' })
}
