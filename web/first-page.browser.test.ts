import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
const site = await seedSite(app.db, { name: 'Haus am See' })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
const person = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })

/** Runs in the page: counts the frames in which there is nothing to see. */
const watchForGaps = `
  window.gaps = 0
  const look = () => {
    if (document.getElementById('root').innerText.trim() === '') window.gaps++
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

/** Runs in the page: counts the frames in which no link of the navigation is visible. */
const watchForLinks = `
  window.framesWithoutLinks = 0
  const lookForLinks = () => {
    if (![...document.querySelectorAll('nav a')].some((link) => link.offsetParent)) window.framesWithoutLinks++
    requestAnimationFrame(lookForLinks)
  }
  requestAnimationFrame(lookForLinks)
`

/** Answers no request for a script, until the returned function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const released = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await released.promise
    await route.continue()
  })
  return released.resolve
}

/** Opens a path and waits for the first paint; before it, the styles may be missing, and hidden parts count as visible. */
async function openUntilPainted(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: 'commit' })
  const paints = () => page.evaluate<number>(`performance.getEntriesByType('paint').length`)
  await expect.poll(paints).toBeGreaterThan(0)
}

test('the sign-in card and the frame of the desk are there while scripts are blocked, and the page says so', async () => {
  for (const { session, label } of [
    { session: undefined, label: 'Passwort' },
    { session: person.session, label: 'Neuer Voucher' },
  ]) {
    const page = await openPage(browser, { url: app.url, locale: 'de-DE', ...(session && { session }) })
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto('/desk')

    await page.getByText(label, { exact: true }).filter({ visible: true }).waitFor()
    await page.getByText('Die Seite konnte nicht starten.').filter({ visible: true }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('de')
  }
})

test('what is typed before the app starts stays, and the card does not move', async () => {
  const page = await openPage(browser, { url: app.url })
  const release = await holdScripts(page)
  await openUntilPainted(page, '/sign-in')
  const email = page.locator('input[type=email]')
  await email.pressSequentially('anna@example.com')
  const before = await email.boundingBox()
  await page.evaluate(watchForGaps)
  release()
  await page.locator('#start-notice').waitFor({ state: 'detached' })
  await page.keyboard.type('.at')

  expect(await email.inputValue()).toBe('anna@example.com.at')
  expect(await email.boundingBox()).toEqual(before)
  expect(await page.evaluate<number>('window.gaps')).toBe(0)
  expect(await page.getByText('The page could not start.').count()).toBe(0)
})

test.runIf(isLong)('the button of the provider is there before the app starts, works, and nothing moves', async () => {
  const settings = {
    OIDC_ISSUER: 'http://127.0.0.1:9', // nothing answers there, and no page asks it
    OIDC_CLIENT_ID: 'vouchers',
    OIDC_CLIENT_SECRET: 'a secret that only this test knows',
    OIDC_NAME: 'Adler-Konto',
    PUBLIC_URL: 'http://localhost',
  }
  const other = await startWebApp(settings)
  await seedPerson(other.db, { role: 'admin' })
  const page = await openPage(browser, { url: other.url })
  const release = await holdScripts(page)
  await openUntilPainted(page, '/sign-in')
  const button = page.getByRole('link', { name: 'Sign in with Adler-Konto' })
  const boxes = async () => [await button.boundingBox(), await page.locator('input[type=email]').boundingBox()]
  const before = await boxes()
  const address = await button.getAttribute('href')
  release()
  await page.locator('#start-notice').waitFor({ state: 'detached' })

  expect(address).toBe('/sso/start?purpose=sign-in&next=%2Fdesk')
  expect(before[0]?.width).toBeGreaterThan(200)
  expect(await boxes()).toEqual(before)
})

test('the navigation does not move or disappear when the app starts', async () => {
  const page = await openPage(browser, { url: app.url, session: person.session })
  const release = await holdScripts(page)
  await openUntilPainted(page, '/desk')
  const entry = page.getByRole('link', { name: 'Vouchers', exact: true }).filter({ visible: true })
  await entry.waitFor()
  const before = await entry.boundingBox()
  await page.evaluate(watchForGaps)
  await page.evaluate(watchForLinks)
  release()
  const name = page.locator('input[enterkeyhint=done]')
  await name.pressSequentially('Huber') // the navigation of the app may come while somebody types
  await page.getByText('Haus am See').first().waitFor()

  expect(await name.inputValue()).toBe('Huber')
  expect(await entry.boundingBox()).toEqual(before)
  expect(await page.evaluate<number>('window.gaps')).toBe(0)
  expect(await page.evaluate<number>('window.framesWithoutLinks')).toBe(0)
  expect(await page.locator('.first-page').count()).toBe(0)
})

test('a dark screen gets a dark page before the app starts; the choice of a person applies first', async () => {
  const page = await openPage(browser, { url: app.url, session: person.session })
  await page.emulateMedia({ colorScheme: 'dark' })
  await holdScripts(page)
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')

  await openUntilPainted(page, '/desk')
  await page.getByRole('link', { name: 'Vouchers', exact: true }).filter({ visible: true }).waitFor()
  expect(await background()).toBe('rgb(19, 22, 27)')

  await app.db.query(`update staff set theme = 'light' where id = $1`, [person.id])
  await openUntilPainted(page, '/desk')
  await page.getByRole('link', { name: 'Vouchers', exact: true }).filter({ visible: true }).waitFor()
  expect(await background()).toBe('rgb(255, 255, 255)')
})
