import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'

/**
 * `npm run measure:first-page` opens the sign-in page and the desk of a demo like a slow computer that never visited them,
 * and prints when people see and can use them. `-- --visits 9` repeats it more often; `-- --requests` lists the requests.
 */
const { values } = parseArgs({
  options: {
    visits: { type: 'string', default: '5' },
    slowdown: { type: 'string', default: '4' },
    requests: { type: 'boolean' },
  },
})

const service = fileURLToPath(new URL('../bin/voucher-service.js', import.meta.url))

type Demo = { url: string; sign_in: { email: string; password: string }; sites: number[] }
type Request = { url: string; startMs: number; endMs: number; bytes: number }
type Visit = { firstPaintMs: number; largestPaintMs: number; usableMs: number; requests: Request[] }

const demo = spawn(process.execPath, [service, 'demo', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
  // Playwright attaches a debugger. For its stack traces, V8 would parse the scripts twice, because React creates errors while it is
  // loaded. That takes 50 ms, 200 ms at a quarter of the speed, and people without a debugger never wait for it.
  args: ['--no-sandbox', '--js-flags=--no-enable-lazy-source-positions'],
})
try {
  const { url, sign_in: person, sites } = await whenReady(demo)
  const session = await signIn(url, person)
  const pages = [
    { name: 'sign-in', address: `${url}/sign-in`, field: 'input[type=email]', session: undefined },
    { name: 'desk', address: `${url}/desk?site=${sites[0]}`, field: 'input[enterkeyhint=done]', session },
  ]
  process.stdout.write('page      first paint  largest paint  usable  files   kB  calls of the API\n')
  for (const { name, address, field, session } of pages) {
    const visits: Visit[] = []
    for (let n = 0; n <= Number(values.visits); n++) {
      const visit = await measureVisit(browser, { address, field, session })
      if (n > 0) visits.push(visit) // the first one fills the caches of the service
    }
    print(name, visits)
  }
} finally {
  await browser.close()
  await stop(demo)
}

async function whenReady(process: ChildProcess): Promise<Demo> {
  if (process.stdout) for await (const line of createInterface({ input: process.stdout })) return JSON.parse(line)
  throw new Error('The demo ended before it was ready. Run `npm run demo` to see why.')
}

/** The session cookie of somebody who signs in. */
async function signIn(url: string, person: Demo['sign_in']): Promise<string> {
  const answer = await fetch(`${url}/api/v2/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(person),
  })
  return /=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

async function measureVisit(
  browser: Browser,
  { address, field, session }: { address: string; field: string; session: string | undefined },
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  if (session) await context.addCookies([{ name: 'voucher-session', value: session, url: address }])
  const page = await context.newPage()
  await page.addInitScript(watchPage(field))
  const requests = await recordRequests(page)
  const usable = Promise.withResolvers<void>()
  await page.exposeFunction('reportUsable', usable.resolve) // the policy of the page forbids `waitForFunction`
  await page.goto(address)
  await usable.promise
  const times = await page.evaluate<Omit<Visit, 'requests'>>(
    `({ firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
        largestPaintMs: window.largestPaintMs, usableMs: window.usableMs })`,
  )
  await context.close()
  return { ...times, requests: requests().filter(({ startMs }) => startMs <= times.usableMs) }
}

/** Runs in the page. A field is usable once React handles it and has painted it. */
function watchPage(field: string): string {
  return `
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.largestPaintMs = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  const look = () => {
    const input = document.querySelector('${field}')
    const isHandled = input && !input.disabled && Object.keys(input).some((key) => key.startsWith('__reactProps'))
    if (!isHandled) return requestAnimationFrame(look)
    window.usableMs = performance.now()
    setTimeout(() => window.reportUsable(), 1_000) // larger parts that appear after the field count as well
  }
  requestAnimationFrame(look)
`
}

async function recordRequests(page: Page): Promise<() => Request[]> {
  const devtools = await page.context().newCDPSession(page)
  const requests = new Map<string, Request & { begin: number }>()
  let first: number | undefined
  devtools.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    first ??= timestamp
    const startMs = (timestamp - first) * 1000
    requests.set(requestId, { url: request.url, startMs, endMs: 0, bytes: 0, begin: first })
  })
  devtools.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
    const request = requests.get(requestId)
    if (request) Object.assign(request, { endMs: (timestamp - request.begin) * 1000, bytes: encodedDataLength })
  })
  await devtools.send('Network.enable')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slowdown) })
  return () => [...requests.values()]
}

function print(name: string, visits: Visit[]): void {
  const medianOf = (pick: (visit: Visit) => number) =>
    Math.round(visits.map(pick).toSorted((a, b) => a - b)[visits.length >> 1] ?? 0)
  const ofApi = ({ url }: Request) => new URL(url).pathname.startsWith('/api/')
  const cells = [
    medianOf(({ firstPaintMs }) => firstPaintMs),
    medianOf(({ largestPaintMs }) => largestPaintMs),
    medianOf(({ usableMs }) => usableMs),
    medianOf(({ requests }) => requests.filter((one) => !ofApi(one)).length),
    medianOf(({ requests }) => requests.filter((one) => !ofApi(one)).reduce((sum, { bytes }) => sum + bytes, 0) / 1000),
    medianOf(({ requests }) => requests.filter(ofApi).length),
  ]
  const [firstPaint, largestPaint, usable, files, kilobytes, calls] = cells.map(String)
  process.stdout.write(
    `${name.padEnd(10)}${firstPaint?.padStart(8)} ms ${largestPaint?.padStart(11)} ms ${usable?.padStart(4)} ms ${files?.padStart(5)} ${kilobytes?.padStart(4)} ${calls?.padStart(6)}\n`,
  )
  if (values.requests)
    for (const { url, startMs, endMs, bytes } of visits.at(-1)?.requests ?? [])
      process.stdout.write(
        `  ${startMs.toFixed(0).padStart(6)}–${endMs.toFixed(0)} ms ${bytes} B ${new URL(url).pathname}\n`,
      )
}

async function stop(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = new Promise((resolve) => process.once('exit', resolve))
  process.kill('SIGTERM')
  await ended
}
