import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setGroupMapping } from '#domain/single-sign-on/map-groups.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { missingPackages, startGlewlwyd } from '#test/network/glewlwyd.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { openPage, startWebApp } from '#test/web.ts'
import type { Person, SignInSettings } from '../../../client/voucher-api.generated.ts'

const password = 'correct horse battery staple'
const people = [
  { username: 'anna', name: 'Anna Weiß', email: 'anna@adler.example', groups: ['Empfang Süd', 'Alle'], password },
  { username: 'bert', name: 'Bert Kunz', email: 'bert@adler.example', groups: ['Leitung', 'Empfang Süd'], password },
  { username: 'cora', name: 'Cora Lang', email: 'cora@adler.example', groups: ['Alle'], password },
  { username: 'dora', name: 'Dora Roth', email: 'dora@adler.example', groups: ['Empfang Süd'], password },
]

if (missingPackages.length > 0)
  process.stdout.write(
    `The tests with glewlwyd are skipped. Run \`apt-get install ${missingPackages.join(' ')}\` first.\n`,
  )
const withGlewlwyd = test.skipIf(missingPackages.length > 0)
const { publicUrl, app, browser, glewlwyd, hotel } = missingPackages.length > 0 ? ({} as Started) : await start()

type Started = Awaited<ReturnType<typeof start>>

/** Starts the service with glewlwyd as its provider. A proxy has the address of the service, which must be known before its start. */
async function start() {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: 0 })
  const publicUrl = `http://127.0.0.1:${proxy.port}`
  const glewlwyd = await startGlewlwyd({ redirectUrl: `${publicUrl}/sso/callback`, people })
  const app = await startWebApp({
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: glewlwyd.issuer,
    OIDC_CLIENT_ID: glewlwyd.clientId,
    OIDC_CLIENT_SECRET: glewlwyd.clientSecret,
    OIDC_NAME: 'the house account',
  })
  proxy.leadTo(Number(new URL(app.url).port))
  const hotel = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
  await seedSite(app.db, { name: 'Campingplatz' })
  await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run
  await setGroupMapping(app.db, testActor, {
    claim: 'groups',
    groups: [
      { group: 'Leitung', role: 'manager', siteIds: null },
      { group: 'Empfang Süd', role: 'desk', siteIds: [hotel] },
    ],
  })
  return { publicUrl, app, browser: await startBrowser(), glewlwyd, hotel }
}

const button = 'Sign in with the house account'

/** Presses the button, and waits until the page of glewlwyd is there or ours says what is wrong. */
async function pressButton(page: Page): Promise<'glewlwyd' | 'problem'> {
  await page.goto('/sign-in')
  await page.getByRole('link', { name: button }).click()
  await atUrl(page, ({ pathname, searchParams }) => pathname === '/login.html' || searchParams.has('problem'))
  return page.url().startsWith(publicUrl) ? 'problem' : 'glewlwyd'
}

/** Signs in at the pages of glewlwyd, which ask whether to continue after the password. */
async function typePassword(page: Page, username: string): Promise<void> {
  await atUrl(page, /\/login\.html\?/)
  // The page writes the name of a person that it knows into the field, maybe while the test types: then it was `annaanna`.
  for (let isAccepted = false; !isAccepted; ) {
    await page.getByLabel('Login').fill(username)
    await page.getByLabel('Password').fill(password)
    const answer = page.waitForResponse((each) => each.url().endsWith('/api/auth/'))
    await page.getByRole('button', { name: 'OK' }).click()
    isAccepted = (await answer).ok()
  }
  await page.getByRole('button', { name: 'Continue' }).click()
  await atUrl(page, ({ origin }) => origin === publicUrl)
}

/** Signs in with the button, on another computer. */
async function signIn(username: string): Promise<Page> {
  const page = await openPage(browser, { url: publicUrl })
  expect(await pressButton(page)).toBe('glewlwyd')
  await typePassword(page, username)
  return page
}

/** Who is signed in on this page, and with which rights. */
async function rightsOf(page: Page) {
  const { name, role, all_sites, site_ids } = (await (await page.request.get('/api/v2/me')).json()) as Person
  return { name, role, sites: all_sites ? 'all' : site_ids }
}

// This test comes first, because the service asks for the state of the provider at most once a minute.
withGlewlwyd('a clock that is 5 minutes ahead is shown in the settings, and people can sign in', async () => {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  await glewlwyd.stop()
  await glewlwyd.start({ aheadMinutes: 5 })
  const answer = await app.call('/api/v2/settings/sign-in', { session })
  const { provider } = answer.json() as SignInSettings

  expect(provider?.state).toBe('clock_differs')
  expect(provider?.clock_difference_seconds).toBeGreaterThan(270)
  expect(provider?.clock_difference_seconds).toBeLessThan(330)
  const settings = await openPage(browser, { url: publicUrl, session })
  await settings.goto('/settings?tab=sign-in')
  await settings.getByText('its clock differs from ours by').waitFor()
  const page = await signIn('anna')
  expect(await rightsOf(page)).toMatchObject({ name: 'Anna Weiß' })

  await glewlwyd.stop()
  await glewlwyd.start()
})

withGlewlwyd('somebody signs in at glewlwyd and gets the role and the sites of the groups', async () => {
  const page = await signIn('anna')
  await page.getByRole('heading', { name: 'New voucher' }).waitFor()

  expect(await rightsOf(page)).toEqual({ name: 'Anna Weiß', role: 'desk', sites: [hotel] })
})

withGlewlwyd('somebody without a group in the table is not added, and reads why', async () => {
  const page = await signIn('cora')
  await page.getByText('At the house account you are in no group that has a role here.').waitFor()

  expect((await page.request.get('/api/v2/me')).status()).toBe(401)
  const { rows } = await app.db.query(`select from staff where email = 'cora@adler.example'`)
  expect(rows).toEqual([])
})

withGlewlwyd('a removed group takes its rights at the next sign-in, and the last one ends all sessions', async () => {
  const before = await signIn('bert')
  expect(await rightsOf(before)).toEqual({ name: 'Bert Kunz', role: 'manager', sites: 'all' })
  await glewlwyd.setGroups('bert', ['Empfang Süd'])
  const later = await signIn('bert')
  expect(await rightsOf(later)).toEqual({ name: 'Bert Kunz', role: 'desk', sites: [hotel] })
  await glewlwyd.setGroups('bert', [])
  const last = await signIn('bert')
  await last.getByText('you are in no group that has a role here').waitFor()

  for (const page of [before, later, last]) expect((await page.request.get('/api/v2/me')).status()).toBe(401)
})

withGlewlwyd('the dry run uses the groups that glewlwyd sent', async () => {
  await signIn('dora')
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const page = await openPage(browser, { url: publicUrl, session })
  await page.goto('/settings?tab=sign-in')
  await page.getByLabel('Try with').fill('dora@adler.example')
  await page.getByRole('button', { name: 'Try', exact: true }).click()

  await page.getByText('Dora Roth would become: Desk, Hotel Goldener Adler (Empfang Süd)').waitFor()
})

withGlewlwyd('"Sign in again" makes glewlwyd ask for the password, although somebody is signed in there', async () => {
  const page = await signIn('anna')
  await app.db.query(`update staff_sessions set authenticated_at = now() - interval '1 hour'`)
  await page.goto('/me')
  await page.evaluate(`location.assign('/sso/start?purpose=again&next=/me')`)
  await typePassword(page, 'anna')
  await atUrl(page, `${publicUrl}/me`)

  const { rows } = await app.db.query(
    `select count(*)::int as confirmed from staff_sessions where authenticated_at > now() - interval '5 minutes'`,
  )
  expect(rows).toEqual([{ confirmed: 1 }])
})

withGlewlwyd('without glewlwyd the page says why, the password works, and later the button works again', async () => {
  const { email } = await seedPerson(app.db, { password, siteIds: [hotel] })
  await glewlwyd.stop()
  const page = await openPage(browser, { url: publicUrl })
  expect(await pressButton(page)).toBe('problem')
  await page.getByText('the house account does not answer. Sign in with your password').waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await atUrl(page, `${publicUrl}/desk`)

  await glewlwyd.start()
  const later = await openPage(browser, { url: publicUrl })
  await expect.poll(() => pressButton(later)).toBe('glewlwyd') // the service remembers a failure for five seconds
  await typePassword(later, 'anna')
  expect(await rightsOf(later)).toMatchObject({ name: 'Anna Weiß' })
})
