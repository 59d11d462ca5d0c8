import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, seedTemplate, seedVoucher } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { openPage, startWebApp } from '#test/web.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
await seedPerson(db, { role: 'admin' }) // until there is one, every page leads to the first run
const site = await seedSite(db)
await seedTemplate(db)
await seedVoucher(db, site, { name: 'Frau Huber' })

const password = 'correct horse battery staple'

/** Two tabs of one browser: the desk, where a name is typed, and the list of vouchers. */
async function openTabs() {
  const person = await seedPerson(db, { siteIds: [site], password })
  const desk = await openPage(browser, { url, session: person.session })
  await desk.goto('/me') // an earlier page, for *Back*
  await desk.goto('/desk')
  await desk.getByText('Frau Huber').waitFor()
  await desk.getByLabel('For whom?').fill('Herr Maier')
  await expect.poll(() => keptIn(desk)).toContain('Herr Maier')
  const list = await desk.context().newPage()
  await list.goto('/vouchers')
  await list.getByText('Frau Huber').waitFor()
  return { desk, list, person }
}

const keptIn = (page: Page) => page.evaluate<string>('JSON.stringify(sessionStorage)')

/** Counts how often the browser asks the service for a page from now on. */
function countPagesOf(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) count += 1
  })
  return () => count
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Account and display/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

async function expectNoGuests(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).waitFor()
  const shown = await page.evaluate<string>('document.body.innerText')
  expect(shown + (await keptIn(page))).not.toMatch(/Huber|Maier/)
}

test.each(isLong ? (['desk', 'list'] as const) : (['desk'] as const))(
  'after signing out in the tab with the %s, no tab shows a guest',
  async (chosen) => {
    const { desk, list } = await openTabs()
    const loaded = [desk, list].map((page) => countPagesOf(page))
    await signOut(chosen === 'desk' ? desk : list)

    for (const page of [desk, list]) {
      await atUrl(page, '/sign-in')
      await expectNoGuests(page)
    }
    expect(loaded.map((count) => count())).toEqual([1, 1]) // no tab follows its own news
    for (const page of [desk, list]) {
      await page.goBack()
      await expectNoGuests(page)
      await page.reload()
      await expectNoGuests(page)
    }
  },
)

test('after an administrator ended the session, no tab shows a guest, and the same person continues', async () => {
  const { desk, list, person } = await openTabs()
  await db.query('delete from staff_sessions where staff_id = $1', [person.id])
  await list.getByRole('button', { name: 'Export' }).click() // any request notices it

  await expectNoGuests(list)
  await expectNoGuests(desk)
  await desk.getByLabel('Password', { exact: true }).fill(password)
  await desk.getByRole('button', { name: 'Sign in' }).click()
  for (const page of [desk, list]) await page.getByText('Frau Huber').waitFor()
  expect(await desk.getByLabel('For whom?').inputValue()).toBe('Herr Maier')
})

test.runIf(isLong)(
  'when somebody signs in in one tab, the sign-in card of another tab gives way to its page',
  async () => {
    const person = await seedPerson(db, { siteIds: [site], password })
    const first = await openPage(browser, { url })
    const second = await first.context().newPage()
    await second.goto('/vouchers')
    await second.getByLabel('Password', { exact: true }).waitFor()
    await first.goto('/desk')
    await first.getByLabel('E-mail').fill(person.email)
    await first.getByLabel('Password', { exact: true }).fill(password)
    await first.getByRole('button', { name: 'Sign in' }).click()

    for (const page of [first, second]) await page.getByText('Frau Huber').waitFor()
    expect(new URL(second.url()).pathname).toBe('/vouchers')
  },
)

test('a page that the browser kept is loaded again, and is hidden until then', async () => {
  const { desk } = await openTabs()
  const fire = (type: string) => desk.evaluate(`dispatchEvent(new PageTransitionEvent('${type}', { persisted: true }))`)
  await fire('pagehide')
  expect(await desk.getByText('Frau Huber').isVisible()).toBe(false)
  const loaded = desk.waitForEvent('domcontentloaded')
  await fire('pageshow')

  await loaded
  await desk.getByText('Frau Huber').waitFor()
})
