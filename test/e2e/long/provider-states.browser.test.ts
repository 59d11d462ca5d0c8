import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson } from '#test/data/seed.ts'
import type { Account } from '#test/network/oidc-provider.ts'
import { openPage } from '#test/web.ts'
import { password, startProviderApp } from '../provider-app.ts'
import { wordsOf } from '../words.ts'

const { app, url, provider, admin, hotel } = await startProviderApp()
const browser = await startBrowser()
const { t } = wordsOf('en')
const name = 'Adler-Konto'
const longName = 'keycloak.infra.goldener-adler.example' // the host, if OIDC_NAME is not set
const longNamed = await startProviderApp({ name: longName })

const button = (page: Page, text = t('sign-in.with', { provider: name })) => page.getByRole('link', { name: text })

async function changeSettings(change: object): Promise<void> {
  const body = JSON.stringify(change)
  const session = (await seedPerson(app.db, { role: 'admin' })).session
  const headers = { origin: url }
  const { status } = await app.call('/api/v2/settings/sign-in', { method: 'PATCH', session, body, headers })
  expect(status).toBe(200)
}

async function signInAs(sub: string, path = '/desk'): Promise<Page> {
  provider.current = sub
  const page = await openPage(browser, { url })
  await page.goto(path)
  await button(page).click()
  await atUrl(page, `${url}${path}`)
  return page
}

async function signInWith(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const hasSession = async (page: Page) =>
  (await page.context().cookies()).some((cookie) => cookie.name === 'voucher-session')

describe.each(['en', 'de'] as const)('in %s', (language) => {
  const { locale, t } = wordsOf(language)

  test('the sign-in page with a password and the provider', async () => {
    const page = await openPage(browser, { url, locale })
    await page.goto('/sign-in')
    await button(page, t('sign-in.with', { provider: name })).waitFor()
    await expectUsable(page, `provider sign-in.${language}`)
    await page.context().close()
  })

  test('the sign-in page with a provider that has a long name', async () => {
    const page = await openPage(browser, { url: longNamed.url, locale })
    await page.goto('/sign-in')
    await button(page, t('sign-in.with', { provider: longName })).waitFor()
    await expectAccessible(page, `provider long name.${language}`)
    await page.context().close()
  })

  test.each(['provider_groups_missing', 'provider_clock_differs', 'provider_email_taken', 'a_new_problem'])(
    'the sign-in page after the problem %s',
    async (problem) => {
      const page = await openPage(browser, { url, locale })
      await page.goto(`/sign-in?problem=${problem}`)
      const key = problem.startsWith('provider') ? problem : 'failed'
      await page.getByText(t(`provider.${key}`, { provider: name })).waitFor()
      expect(await page.getByRole('link', { name: t('provider.other-account') }).count()).toBe(
        ['provider_groups_missing', 'provider_email_taken'].includes(problem) ? 1 : 0,
      )
      await expectAccessible(page, `provider ${problem}.${language}`)
      await page.context().close()
    },
  )

  test('the account page before and after an account is linked, and a problem', async () => {
    const person = await seedPerson(app.db, { name: 'Lea Brinkmann', siteIds: [hotel], password })
    const page = await openPage(browser, { url, locale, session: person.session })
    await page.goto('/me?problem=identity_taken')
    await page.getByText(t('provider.identity_taken', { provider: name })).waitFor()
    await expectAccessible(page, `provider me not linked.${language}`)
    await app.db.query(`insert into identities (issuer, subject, staff_id) values ($1, $2, $3)`, [
      provider.issuer,
      `lea.${language}`,
      person.id,
    ])
    await page.goto('/me')
    await page.getByRole('button', { name: t('me.unlink') }).waitFor()
    await expectUsable(page, `provider me linked.${language}`)
    await page.getByRole('button', { name: t('me.unlink') }).click()
    await page.getByText(t('me.unlink-text', { provider: name })).waitFor()
    await expectAccessible(page, `provider me unlink.${language}`)
    await page.context().close()
  })

  test('the account page of a person who signs in only by the provider', async () => {
    const person = await seedPerson(app.db, { name: 'Theo Lang', role: 'manager', siteIds: [hotel] })
    const account = [provider.issuer, `theo.${language}`, person.id]
    await app.db.query(`insert into identities (issuer, subject, staff_id) values ($1, $2, $3)`, account)
    const page = await openPage(browser, { url, locale, session: person.session })
    await page.goto('/me')
    await page.getByText(t('my-factors.by-provider', { provider: name })).waitFor()
    await page.getByText(t('me.no-password', { provider: name })).waitFor()
    expect(await page.getByRole('button', { name: t('me.change'), exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: t('me.unlink') }).count()).toBe(0)
    await expectUsable(page, `provider me only.${language}`)
    await page.context().close()
  })

  test('long after the sign-in, the account page asks for a new one before it links the account', async () => {
    const sub = `nina.${language}`
    provider.accounts.push({ sub, email: `${sub}@elsewhere.example`, name: 'Nina Roth', groups: [] })
    provider.current = sub
    const person = await seedPerson(app.db, { name: 'Nina Roth', siteIds: [hotel], password })
    await app.db.query(
      `update staff_sessions set authenticated_at = now() - interval '16 minutes' where staff_id = $1`,
      [person.id],
    )
    const page = await openPage(browser, { url, locale, session: person.session })
    await page.goto('/me')
    await page.getByRole('link', { name: t('me.link', { provider: name }) }).click()
    await page.getByText(t('me.link-again', { provider: name })).waitFor()
    await expectAccessible(page, `provider me link again.${language}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: t('me.link-again-submit') }).click()
    await page.getByLabel(t('second-factor.again-password')).fill(password)
    await page.keyboard.press('Enter')

    await page.getByText(t('me.linked', { provider: name })).waitFor()
    await page.context().close()
  })

  test('the staff, with somebody whose rights come from groups', async () => {
    await signInAs('anna').then((page) => page.context().close())
    const page = await openPage(browser, { url, locale, session: admin.session })
    await page.goto('/settings')
    const account = t('settings.signs-in-with', { provider: name })
    const factor = `${t('settings.factor')} ${t('settings.factor-none')}`
    await page.getByRole('row', { name: new RegExp(`Anna Weber.*${account}.*${factor}`) }).waitFor()
    await expectUsable(page, `provider staff.${language}`)
    await page.getByRole('button', { name: 'Anna Weber', exact: true }).click()
    await page.getByText(t('settings.rights-fixed', { provider: name })).waitFor()
    await expectAccessible(page, `provider person.${language}`)
    await page.context().close()
  })
})

test('without passwords, only the break-glass account signs in with one, after a click', async () => {
  const other = await seedPerson(app.db, {
    role: 'admin',
    name: 'Other administrator',
    email: 'other@adler.example',
    password,
  })
  await signInAs('katrin').then((page) => page.context().close())
  await changeSettings({ break_glass_id: admin.id })
  const settings = await openPage(browser, { url, session: other.session })
  await settings.goto('/settings?tab=sign-in')
  const passwords = settings.getByRole('switch', { name: 'Sign-in with a password' })
  await passwords.focus()
  await settings.keyboard.press('Space')
  await settings.getByText(/people have no linked account of Adler-Konto .*Other administrator/).waitFor()
  expect(await passwords.isChecked()).toBe(true)
  await settings.getByRole('button', { name: 'Switch off passwords' }).click()
  await settings.getByText('Off: people sign in with Adler-Konto.').waitFor()
  const page = await openPage(browser, { url })
  await page.goto('/sign-in?problem=provider_email_taken')
  await page.getByText('Ask an administrator to link it with Adler-Konto.').waitFor()
  await page.goto('/sign-in')
  await button(page).waitFor()
  await expectUsable(page, 'provider only.en')

  expect(await page.getByLabel('E-mail').count()).toBe(0)
  const emergency = page.getByRole('button', { name: 'Sign in with the break-glass account' })
  await emergency.click()
  await page.getByRole('heading', { name: 'Break-glass account' }).waitFor()
  await expectUsable(page, 'provider break-glass.en')
  expect(await button(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Back' }).click()
  await button(page).waitFor()
  await emergency.click()
  await signInWith(page, other.email)
  await page.getByText('Sign-in with a password is switched off.').waitFor()
  await expectAccessible(page, 'provider break-glass refused.en')
  await signInWith(page, admin.email)
  await atUrl(page, '/desk')
  await changeSettings({ password_sign_in: true })
})

test('if chosen, the provider opens at once; never after a sign-out or a problem', async () => {
  await changeSettings({ starts_at_once: true })
  provider.current = 'anna'
  const page = await openPage(browser, { url })
  await page.goto('/vouchers')
  await page.getByRole('link', { name: 'Desk' }).waitFor() // without a click
  expect(new URL(page.url()).pathname).toBe('/vouchers')

  await page.getByRole('button', { name: /Account and display/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await button(page).waitFor()
  expect(await hasSession(page)).toBe(false)
  await page.goto('/vouchers') // like Back, or an address that was typed
  await atUrl(page, '/sign-in?next=%2Fvouchers')
  await button(page).waitFor()
  expect(await hasSession(page)).toBe(false)
  await button(page).click()
  await page.getByRole('link', { name: 'Desk' }).waitFor()

  const rejected = await openPage(browser, { url })
  provider.current = 'uwe' // without a group
  await rejected.goto('/desk')
  await rejected.getByText('At Adler-Konto you are in no group that has a role here.').waitFor()
  expect(await rejected.getByRole('link', { name: 'Use another account' }).getAttribute('href')).toBe(
    '/sso/start?purpose=sign-in&next=%2Fdesk&account=other',
  )
  const requests = provider.requests.length
  await rejected.reload()
  await button(rejected).waitFor()
  expect(provider.requests.length).toBe(requests)
  await changeSettings({ starts_at_once: false })
})

test('after the end of a session, the provider opens in a window, and the page continues', async () => {
  const page = await signInAs('anna')
  await page.getByLabel('For whom?').fill('Room 204')
  await app.db.query(`delete from staff_sessions where staff_id = (select id from staff where name = 'Anna Weber')`)
  await page.keyboard.press('Enter') // or a request of the page itself was first
  const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
  await dialog.waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Sign in with Adler-Konto')
  await expectAccessible(page, 'provider session ended.en')
  const [window] = await Promise.all([page.waitForEvent('popup'), button(page).click()])
  await dialog.waitFor({ state: 'hidden' })

  expect(await page.getByLabel('For whom?').inputValue()).toBe('Room 204')
  await expect.poll(() => window.isClosed()).toBe(true)
})

test('a person links the account and then signs in with it; unlinking ends that', async () => {
  provider.accounts.push({ sub: 'jonas', email: 'jonas@elsewhere.example', name: 'J. Pohl', groups: [] })
  provider.current = 'jonas'
  const person = await seedPerson(app.db, { name: 'Jonas Pohl', siteIds: [hotel], password })
  const page = await openPage(browser, { url, session: person.session })
  await page.goto('/me')
  await page.getByRole('link', { name: 'Link Adler-Konto' }).click()
  await atUrl(page, '/me')
  await page.getByText('Adler-Konto, linked').waitFor()

  const other = await signInAs('jonas')
  await other.getByText('Jonas Pohl').first().waitFor() // linked, although the e-mail address is another one
  await other.context().close()

  await page.getByRole('button', { name: 'Unlink…' }).click()
  await page.getByRole('button', { name: 'Unlink account' }).click()
  await page.getByRole('link', { name: 'Link Adler-Konto' }).waitFor()
  const rejected = await openPage(browser, { url })
  await rejected.goto('/sign-in')
  await button(rejected).click()
  await rejected.getByText('you are in no group that has a role here').waitFor()
})

test('an administrator switches rights from groups off, changes the role, and unlinks the account', async () => {
  ;(provider.accounts[0] as Account)['groups'] = ['empfang-adler']
  await signInAs('anna').then((page) => page.context().close())
  const page = await openPage(browser, { url, session: admin.session })
  await page.goto('/settings')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Anna Weber', exact: true }).click()
  await dialog.getByText('Desk · Hotel Goldener Adler').waitFor()
  expect(await dialog.getByRole('radio').count()).toBe(0)
  await dialog.getByRole('switch', { name: 'Rights from groups' }).focus()
  await page.keyboard.press('Space')
  await dialog.getByRole('radio', { name: 'Manager' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Anna Weber.*Manager/ }).waitFor()

  await signInAs('anna').then((other) => other.getByRole('link', { name: 'Settings' }).waitFor()) // the groups do not count
  await page.getByRole('button', { name: 'Actions for Anna Weber' }).click()
  await page.getByRole('menuitem', { name: 'Unlink company account…' }).click()
  await page.getByRole('button', { name: 'Unlink account' }).click()
  await page.getByText('The company account of Anna Weber is unlinked.').waitFor()
})

test('the test of the sign-in opens a window and changes nobody’s session', async () => {
  provider.current = 'katrin'
  const page = await openPage(browser, { url, session: admin.session })
  await page.goto('/settings?tab=sign-in')
  const openTest = () =>
    Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Test sign-in' }).click()])
  const [window] = await openTest()
  await window.getByText('The sign-in works. Nothing was changed.').waitFor()
  await expectAccessible(window, 'provider test.en')
  provider.current = 'uwe' // without a group
  await page.context().clearCookies({ domain: new URL(provider.issuer).hostname })
  const [other] = await openTest()
  await other.getByText('Adler-Konto works, but this person could not sign in yet.').waitFor()
  await expectAccessible(other, 'provider test rejected.en')

  await page.reload()
  await page.getByText('Notfall').first().waitFor()
})

test('a long name of the provider is not cut off on the account page', async () => {
  const name = 'keycloak.infra.goldener-adler-hotelbetriebe.example'
  const other = await startProviderApp({ name })
  const page = await openPage(browser, { url: other.url, session: other.admin.session })
  await page.goto('/me')
  await page.getByRole('link', { name: `Link ${name}` }).waitFor()
  await expectAccessible(page, 'provider me long name')
})

test('the panel says when the clock of the provider differs', async () => {
  const other = await startProviderApp()
  other.provider.clockAheadSeconds = 310
  const page = await openPage(browser, { url: other.url, session: other.admin.session })
  await page.goto('/settings?tab=sign-in')
  await page.getByText('answers, but its clock differs from ours by 5 min.').waitFor()
})
