import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { launch } from 'puppeteer-core'
import { freePort } from './data/local-servers.ts'
import { onFileEnd } from './on-file-end.ts'

/** A page of a browser that Playwright cannot drive as Debian packages it. */
export type OtherPage = {
  /** Name and version of the browser. */
  browser: string
  goto(url: string): Promise<void>
  /** Runs the text of a function in the page, and returns what it returns. */
  run<T>(script: string, ...args: unknown[]): Promise<T>
  /** Clicks the middle of the element that the script returns, as a mouse does. */
  click(script: string, ...args: unknown[]): Promise<void>
  /** Types into the element that has the focus. */
  type(text: string): Promise<void>
  press(key: 'Enter' | 'Escape'): Promise<void>
}

/** Starts Firefox without a window. Needs Debian's `firefox-esr`. */
export async function startFirefox(): Promise<OtherPage> {
  const browser = await launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true })
  onFileEnd(() => browser.close())
  const page = await browser.newPage()
  await page.setViewport({ width: 1440, height: 900 })
  return {
    browser: await browser.version(),
    goto: async (url) => void (await page.goto(url, { waitUntil: 'domcontentloaded' })),
    run: (script, ...args) => page.evaluate(`(${script})(...${JSON.stringify(args)})`) as Promise<never>,
    async click(script, ...args) {
      const element = (await page.evaluateHandle(`(${script})(...${JSON.stringify(args)})`)).asElement()
      if (!element) throw new Error(`There is no element ${JSON.stringify(args)}`)
      await (element as { click(): Promise<void> }).click()
    },
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
  }
}

const miniBrowser = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'

/** Starts WebKit in the window of a virtual screen. Needs Debian's `webkit2gtk-driver` and `xvfb`. */
export async function startWebKit(): Promise<OtherPage> {
  const port = await freePort()
  const environment = { ...process.env, DISPLAY: await startScreen(), WEBKIT_FORCE_SANDBOX: '0', GDK_BACKEND: 'x11' }
  const driver = spawn('/usr/bin/WebKitWebDriver', [`--port=${port}`], { env: environment, stdio: 'ignore' })
  onFileEnd(() => driver.kill())
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 300 && !(await fetch(`${url}/status`).catch(() => undefined)); tries++) await pause(100)

  const options = { binary: miniBrowser, args: ['--automation'] }
  const { sessionId, capabilities } = await ask<{ sessionId: string; capabilities: Record<string, string> }>(
    `${url}/session`,
    { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } },
  )
  const session = `${url}/session/${sessionId}`
  onFileEnd(() => fetch(session, { method: 'DELETE' }))
  await ask(`${session}/window/rect`, { width: 1440, height: 900 })

  const run = <T>(script: string, ...args: unknown[]) =>
    ask<T>(`${session}/execute/sync`, { script: `return (${script})(...arguments)`, args })
  const keys = (typed: string[]) =>
    ask<void>(`${session}/actions`, {
      actions: [
        {
          ...{ type: 'key', id: 'keyboard' },
          actions: typed.flatMap((value) => [
            { type: 'keyDown', value },
            { type: 'keyUp', value },
          ]),
        },
      ],
    })
  return {
    browser: `WebKitGTK ${capabilities['browserVersion']}`,
    goto: (address) => ask(`${session}/url`, { url: address }),
    run,
    async click(script, ...args) {
      const element = await run<Record<string, string> | null>(script, ...args)
      if (!element) throw new Error(`There is no element ${JSON.stringify(args)}`)
      await ask(`${session}/element/${Object.values(element)[0]}/click`, {})
    },
    type: (text) => keys([...text]),
    press: (key) => keys([{ Enter: '\uE007', Escape: '\uE00C' }[key]]),
  }
}

/** Sends a command of the WebDriver protocol. */
async function ask<T>(url: string, body: object): Promise<T> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } }
  if (!answer.ok) throw new Error(`${url}: ${value.error} ${value.message}`)
  return value
}

/** Starts a virtual screen and returns its name. */
async function startScreen(): Promise<string> {
  const screen = spawn('/usr/bin/Xvfb', ['-displayfd', '1', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onFileEnd(() => screen.kill())
  const [number] = await once(screen.stdout, 'data')
  return `:${String(number).trim()}`
}
