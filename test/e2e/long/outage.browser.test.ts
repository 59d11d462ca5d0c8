import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loadConfig } from '#config.ts'
import { createContext } from '#context.ts'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible } from '#test/axe.ts'
import { keepScreenshot, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { testEnvironment } from '#test/environment.ts'
import { isLong, report, timeLimit } from '#test/measuring.ts'
import { dialects, type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { startWorker } from '#worker/worker.ts'

const app = await startWebApp()
/** The worker has connections of its own, like a worker in another process. */
const workerContext = createContext(loadConfig(testEnvironment(app.db.url)), 'worker')
await workerContext.start()
const worker = await startWorker(workerContext)
onFileEnd(async () => {
  await worker.stop()
  await workerContext.close()
})
const browser = await startBrowser()
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
for (const [name, expireMinutes] of [['8 hours', 480], ['1 day', 1440], ['3 days', 4320], ['1 week', 10_080]] as const) // biome-ignore format: one line
  await addTemplate(app.db, testActor, { ...unlimited, name, expireMinutes, maxUses: 2 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

const outMs = isLong ? 20_000 : 1_000
/** Nothing is unknown longer than this after the controller is back. */
const promisedMs = 15_000

type Trouble = {
  kind: string
  begin(controller: Simulator): Promise<unknown>
  end(controller: Simulator): Promise<unknown>
}

const booting: Trouble = {
  kind: 'boots (502)',
  begin: (controller) => controller.behave({ booting: true }),
  end: (controller) => controller.behave({ booting: false }),
}
const hanging: Trouble = {
  kind: 'hangs',
  begin: (controller) => controller.behave({ hang: true }),
  end: (controller) => controller.behave({ hang: false }),
}
/** The address stays the same, so a new controller listens on the port of the old one. */
const refusing: Trouble = {
  kind: 'refuses connections',
  begin: (controller) => controller.stop(),
  end: ({ url, apiKey, login }) =>
    startSimulator(
      ...['--port', new URL(url).port, '--api-key', apiKey],
      ...['--username', login.username, '--password', login.password],
    ),
}

/** Short texts for the table of what the pages show. */
const shown: Record<string, RegExp> = {
  'picker: no answer': /no answer since \d/,
  'line: not answering': /Controller not answering since/,
  'line: answers again': /The controller answers again\.(?! Press)/,
  'note: finding out': /We are finding out whether a voucher was created/,
  'note: none created': /No voucher was created\./,
  'note: try again': /answers again. Press/,
  'row: Checking…': /Checking…/,
  'list: held up': /cannot create vouchers at the moment|finding out whether the last/,
  'list: done': /3 of 3 created|3\s+of 3 created/,
}

/** Reads the pages every second and notes when something changes. */
function watch(pages: Record<string, Page>) {
  const startedAt = performance.now()
  const lines: string[] = []
  const before: Record<string, string> = {}
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(3)
  const look = async () => {
    for (const [name, page] of Object.entries(pages)) {
      const text = await page.evaluate<string>('document.body.innerText').catch(() => '')
      const now = Object.keys(shown).filter((key) => shown[key]?.test(text)).join(', ') // biome-ignore format: one line
      if (before[name] !== now) lines.push(`${seconds()} s  ${name}: ${now || 'nothing special'}`)
      before[name] = now
    }
  }
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, 1_000)
  return {
    note: (what: string) => void lines.push(`${seconds()} s  -- ${what}`),
    async stop(): Promise<string> {
      clearInterval(timer)
      await looking
      return lines.join('\n')
    },
  }
}

const line = (page: Page) => page.getByText('Controller not answering since')
const field = (page: Page) => page.getByLabel('For whom?')
const checking = (page: Page) => page.getByText('Checking…')

async function openDesk(driver: string) {
  const controller = await startSimulator()
  const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler', driver })
  const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
  const open = async (path: string) => {
    const page = await openPage(browser, { url: app.url, session })
    await page.goto(path)
    await field(page).waitFor()
    return page
  }
  return { controller, open }
}

const cases = isLong
  ? dialects.flatMap(({ dialect, driver, flavour }) =>
      flavour === 'console' ? [booting, hanging, refusing].map((trouble) => ({ dialect, driver, trouble })) : [],
    )
  : [{ dialect: 'console', driver: 'unifi-integration', trouble: booting }]

test.each(cases)(
  'a controller that $trouble.kind ($driver): said before typing, at most one guest is unknown, and all is clear when it is back',
  async ({ driver, trouble }) => {
    const { controller, open } = await openDesk(driver)
    const desk = await open('/desk')
    await field(desk).fill('Zimmer 1')
    await desk.keyboard.press('Enter')
    await desk.getByRole('heading', { name: 'Voucher created' }).waitFor()
    await desk.waitForTimeout(700) // N is ignored for a moment
    await desk.keyboard.press('n')
    const idle = await open('/desk')
    const many = await open('/desk?many=new')
    const button = idle.getByRole('button', { name: 'Create voucher' })
    const place = await button.boundingBox()
    const watching = watch({ desk, idle, many })

    await trouble.begin(controller)
    watching.note(`the controller ${trouble.kind}; “Zimmer 2” is created`)
    await field(desk).fill('Zimmer 2')
    await desk.keyboard.press('Enter')
    await desk
      .getByText(/We are finding out whether|No voucher was created\./)
      .first()
      .waitFor()
    await line(idle).waitFor()
    await line(many).waitFor()
    expect(
      await idle
        .getByText(/no answer since \d\d:\d\d/)
        .first()
        .isVisible(),
    ).toBe(true)
    expect(await button.isEnabled()).toBe(true)
    expect(await button.boundingBox()).toEqual(place)
    await many.getByText('A list starts by itself when the controller answers.').waitFor()
    if (!isLong) {
      await field(idle).fill('Zimmer 204 · Brandt')
      await expectAccessible(idle, 'desk outage')
      await expectAccessible(many, 'many outage')
      for (const page of [idle, many]) await page.setViewportSize({ width: 1440, height: 900 })
    }
    const next = desk.getByRole('button', { name: 'Go to the next guest' })
    if (await next.isVisible()) await next.click()

    watching.note('“Zimmer 3” is created, and a list of three')
    await field(desk).fill('Zimmer 3')
    await desk.keyboard.press('Enter')
    await desk.getByText('No voucher was created.').first().waitFor()
    await field(many).fill('Zimmer 11\nZimmer 12\nZimmer 13')
    await many.getByRole('button', { name: 'Create 3 vouchers' }).click()
    await many.getByText('of 3').first().waitFor()
    await desk.waitForTimeout(outMs)

    await trouble.end(controller)
    watching.note('the controller is back')
    const backAt = performance.now()
    await idle.getByText('The controller answers again.').waitFor()
    report(`${driver}, ${trouble.kind}: line green after s`, (performance.now() - backAt) / 1_000)
    if (!isLong) await keepScreenshot(idle, 'desk outage over')
    await vi.waitFor(async () => expect(await checking(desk).count()).toBe(0), { timeout: timeLimit(promisedMs) })
    const settledMs = performance.now() - backAt
    report(`${driver}, ${trouble.kind}: nothing is unknown after s`, settledMs / 1_000)
    // A simulator that was started again has new ids, so the first try may be rejected.
    const tryAgain = desk.getByRole('button', { name: 'Try again' })
    await vi.waitFor(
      async () => {
        if (await tryAgain.isVisible()) await tryAgain.click()
        await desk.getByRole('heading', { name: 'Voucher created' }).waitFor({ timeout: 5_000 })
      },
      { timeout: 60_000 },
    )
    await many.getByText('of 3 created').waitFor()
    report(`${driver}, ${trouble.kind}: list done after s`, (performance.now() - backAt) / 1_000)
    await line(idle).waitFor({ state: 'hidden' })
    expect(await button.boundingBox()).toEqual(place)
    process.stdout.write(`${driver}, the controller ${trouble.kind}:\n${await watching.stop()}\n`)

    expect(settledMs).toBeLessThan(timeLimit(promisedMs))
    const { rows } = await app.db.query<{ state: string }>(
      'select c.state from creations c join sites s on s.id = c.site_id where c.settled_at is null',
    )
    expect(rows).toEqual([])
    for (const page of [desk, idle, many]) await page.context().close()
  },
)
