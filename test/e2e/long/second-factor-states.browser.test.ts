import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startSession } from '#domain/people/sign-in.ts'
import { insertSetting } from '#domain/settings/settings.queries.ts'
import { expectAccessible, expectKeyboardReachesAll, expectUsable } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { codeOf, seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson, seedSite, seedTemplate } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { addVirtualAuthenticator } from '../virtual-authenticator.ts'
import { type Language, wordsOf } from '../words.ts'

const password = 'correct horse battery staple'
const app = await startWebApp()
const { db } = app
const url = app.url.replace('127.0.0.1', 'localhost') // browsers have no passkeys for an IP address
const browser = await startBrowser()
const admin = await seedPerson(db, { role: 'admin', name: 'Katrin Vogt', password })
const site = await seedSite(db, { name: 'Grundschule Krefeld' })
await seedTemplate(db)
const { t } = wordsOf('en')

const seedManager = (name = 'Mehmet Arslan') => seedPerson(db, { name, role: 'manager', siteIds: [site], password })

/** A manager with an authenticator app. */
async function seedWithApp(name?: string) {
  const person = await seedManager(name)
  return { ...person, app: await seedAuthenticatorApp(db, person.id) }
}

/** A manager with a passkey, on the account page. */
async function openWithPasskey() {
  const person = await seedManager()
  const page = await openPage(browser, { url, session: person.session })
  const device = await addVirtualAuthenticator(page)
  await page.goto('/me')
  await addPasskey(page, 'Office computer')
  return { person, page, device }
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: t('my-factors.add-passkey') }).click()
  await page.getByLabel(t('my-factors.passkey-name')).fill(name)
  await page.getByRole('button', { name: t('my-factors.add-submit') }).click()
  await page.getByRole('listitem').getByText(name).waitFor()
}

async function signIn(page: Page, email: string, words = t): Promise<void> {
  await page.getByLabel(words('sign-in.email')).fill(email)
  await page.getByLabel(words('sign-in.password'), { exact: true }).fill(password)
  await page.getByRole('button', { name: words('sign-in.submit') }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Account and display/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await atUrl(page, '/sign-in')
}

/** Lets the session of a person be older than 15 minutes. */
const makeOld = (staffId: string) =>
  db.query(`update staff_sessions set authenticated_at = now() - interval '16 minutes' where staff_id = $1`, [staffId])

const digitsOf = (page: Page, words = t) => page.getByLabel(words('second-factor.code'))

/** A code that is certainly wrong. */
const wrongCode = (code: string) => (code === '000000' ? '111111' : '000000')

test.each(['en', 'de'] as Language[])(
  'the account page with an app and a passkey, and its dialogs, in %s',
  async (language) => {
    const { locale, t: words } = wordsOf(language)
    const anna = await seedWithApp('Anna Weber')
    const page = await openPage(browser, { url, session: anna.session, locale })
    await addVirtualAuthenticator(page)
    await page.goto('/me')
    await page.getByText(words('my-factors.on')).waitFor()
    await page.getByRole('button', { name: words('my-factors.add-passkey') }).click()
    await expectUsable(page, `passkey dialog.${language}`)
    await page.getByLabel(words('my-factors.passkey-name')).fill('')
    await page.getByRole('button', { name: words('my-factors.add-submit') }).click()
    await page.getByText(words('my-factors.passkey-name-missing')).waitFor()
    await page.getByLabel(words('my-factors.passkey-name')).fill('iPhone')
    await page.getByRole('button', { name: words('my-factors.add-submit') }).click()
    await page.getByRole('listitem').getByText('iPhone').waitFor()
    await page.getByRole('alert').getByText(words('my-factors.passkey-added')).waitFor({ state: 'detached' })
    await expectUsable(page, `account with factors.${language}`)

    await page.getByRole('button', { name: words('table.acts', { name: 'iPhone' }) }).click()
    await page.getByRole('menuitem', { name: words('my-factors.rename') }).click()
    await page.getByLabel(words('my-factors.passkey-name')).fill('Security key')
    await expectAccessible(page, `passkey rename.${language}`)
    await page.keyboard.press('Enter')
    await page.getByRole('listitem').getByText('Security key').waitFor()
    await page.getByRole('button', { name: words('table.acts', { name: 'Security key' }) }).click()
    await page.getByRole('menuitem', { name: words('my-factors.remove') }).click()
    await expectAccessible(page, `passkey remove.${language}`)
    await page.getByRole('button', { name: words('my-factors.remove-passkey-submit') }).click()
    await expect.poll(() => page.getByText('Security key', { exact: true }).count()).toBe(0)

    await page.getByRole('button', { name: words('my-factors.new-codes') }).click()
    await expectAccessible(page, `new codes ask.${language}`)
    await page.getByRole('button', { name: words('my-factors.new-codes-submit') }).click()
    await page.getByRole('heading', { name: words('my-factors.new-codes-shown') }).waitFor()
    await expectUsable(page, `new codes.${language}`)
    await page.keyboard.press('Escape') // the codes are shown only once
    expect(await page.getByRole('button', { name: words('actions.done') }).isDisabled()).toBe(true)
    await page.getByLabel(words('my-factors.stored')).check()
    await page.getByRole('button', { name: words('actions.done') }).click()
    await page.getByRole('button', { name: words('my-factors.remove') }).click()
    await expectAccessible(page, `app remove.${language}`)
    await page.getByRole('button', { name: words('my-factors.remove-app-submit') }).click()
    await page.getByText(words('my-factors.off')).waitFor()
  },
)

test('recovery codes can be copied, saved and printed, and leaving the setup changes nothing', async () => {
  const { id, session } = await seedManager()
  const page = await openPage(browser, { url, session })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.addInitScript('window.print = () => { window.printed = document.querySelector(".vs-print")?.textContent }')
  await page.goto('/me')
  await page.getByRole('button', { name: t('my-factors.app-start') }).click()
  const secret = (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '')
  await page.getByRole('button', { name: t('my-factors.copy-key') }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
  await expectUsable(page, 'setup begun')
  await page.getByLabel(t('my-factors.digits')).fill(await codeOf(db, secret))
  await page.getByText(t('my-factors.app-works')).waitFor()
  const codes = await page.getByText(/^\w{4}-\w{4}$/).allInnerTexts()
  expect(codes).toHaveLength(10)
  await page.getByRole('button', { name: t('actions.copy'), exact: true }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(codes.join('\n'))
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: t('my-factors.save-file') }).click()
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt')
  await page.getByRole('button', { name: t('my-factors.print') }).click()
  expect(await page.evaluate('window.printed')).toContain(codes[9])
  await page.goto('/desk')
  await page.goto('/me')

  await page.getByRole('button', { name: t('my-factors.app-start') }).waitFor()
  expect(
    (await db.query('select 1 from authenticator_apps where staff_id = $1 and activated_at is not null', [id])).rows,
  ).toEqual([])
})

test('the last factor of a role that needs one cannot be removed, but replaced', async () => {
  const { session, app: first } = await seedWithApp()
  await insertSetting(db, 'second_factor_roles', ['manager'])
  const page = await openPage(browser, { url, session })
  await page.goto('/me')
  await page.getByText(t('my-factors.need-manager')).waitFor()
  await expectAccessible(page, 'last factor')
  expect(await page.getByRole('button', { name: t('my-factors.remove') }).count()).toBe(0)
  await page.getByRole('button', { name: t('my-factors.replace') }).click()
  const secret = (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '')
  expect(secret).not.toBe(first.secret)
  await page.getByRole('button', { name: t('actions.cancel') }).click()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(t('my-factors.replace'))

  const { page: other } = await openWithPasskey()
  await other.getByRole('button', { name: t('table.acts', { name: 'Office computer' }) }).click()
  await other.getByRole('menuitem', { name: t('my-factors.rename') }).waitFor()
  expect(await other.getByRole('menuitem', { name: t('my-factors.remove') }).count()).toBe(0)
  await insertSetting(db, 'second_factor_roles', [])
})

test.each(['en', 'de'] as Language[])('the setup of an app on a phone, with wrong codes, in %s', async (language) => {
  const { locale, t: words } = wordsOf(language)
  const { session } = await seedManager()
  const page = await openPage(browser, { url, locale, width: 390, session })
  await page.goto('/me')
  await page.getByRole('button', { name: words('my-factors.app-start') }).click()
  const link = page.getByRole('link', { name: words('my-factors.open-app') })
  expect(await link.getAttribute('href')).toMatch(/^otpauth:\/\/totp\//)
  await expectAccessible(page, `setup on a phone.${language}`, { widths: [390] })
  const secret = (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '')
  const digits = page.getByLabel(words('my-factors.digits'))
  for (let attempt = 0; attempt < 2; attempt++) {
    const answered = page.waitForResponse('**/api/v2/me/authenticator-app/check')
    await digits.fill(wrongCode(await codeOf(db, secret)))
    await answered
    await expect.poll(() => digits.inputValue()).toBe('')
  }
  await page.getByText(words('my-factors.often-wrong')).waitFor()
  await expectAccessible(page, `setup often wrong.${language}`)
  await page.setViewportSize({ width: 390, height: 900 })
  await digits.fill(await codeOf(db, secret))
  await page.getByText(words('my-factors.app-works')).waitFor()
  await page.getByLabel(words('my-factors.stored')).check()
  await expectAccessible(page, `setup on a phone checked.${language}`)
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByRole('button', { name: words('my-factors.turn-on') }).click()
  await page.getByText(words('my-factors.app-on')).hover() // it stands still now, and stays open

  const bottom = `document.querySelector('.mantine-Notification-root').getBoundingClientRect().bottom`
  expect(await page.evaluate<number>(bottom)).toBeLessThan(900 - 60) // above the tabs
})

test.each(['en', 'de'] as Language[])('a setup that has expired can be begun again, in %s', async (language) => {
  const { locale, t: words } = wordsOf(language)
  const { session } = await seedManager()
  const page = await openPage(browser, { url, locale, session })
  const expire = () => db.query(`update authenticator_apps set created_at = now() - interval '2 hours'`)
  const readSecret = async () => (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '')
  await page.goto('/me')
  await page.getByRole('button', { name: words('my-factors.app-start') }).click()
  const first = await readSecret()
  await expire()
  await page.getByLabel(words('my-factors.digits')).fill(await codeOf(db, first))
  await page.getByText(words('my-factors.expired')).waitFor()
  await expectAccessible(page, `setup expired.${language}`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: words('my-factors.begin-again') }).click()
  await expect.poll(readSecret).not.toBe(first)

  await page.getByLabel(words('my-factors.digits')).fill(await codeOf(db, await readSecret()))
  await page.getByLabel(words('my-factors.stored')).check()
  await expire()
  await page.getByRole('button', { name: words('my-factors.turn-on') }).click()
  await page.getByRole('button', { name: words('my-factors.begin-again') }).waitFor()
  await expectAccessible(page, `setup expired at the end.${language}`)
})

test('a person without a factor whose role needs one sees a notice before the next sign-in', async () => {
  const { session } = await seedManager()
  await insertSetting(db, 'second_factor_roles', ['manager'])
  const page = await openPage(browser, { url, session })
  await page.goto('/me')
  await page.getByText(t('my-factors.set-up-soon')).waitFor()
  await expectAccessible(page, 'factor needed soon')
  expect(
    await page
      .getByRole('navigation')
      .getByRole('link', { name: t('nav.desk') })
      .count(),
  ).toBe(1)
  await insertSetting(db, 'second_factor_roles', [])
})

test.each(['en', 'de'] as Language[])(
  'while a factor must be set up, the phone has only the person too, in %s',
  async (language) => {
    const { locale, t: words } = wordsOf(language)
    const { email } = await seedManager()
    await insertSetting(db, 'second_factor_roles', ['manager'])
    const page = await openPage(browser, { url, locale, width: 390 })
    await page.goto('/sign-in')
    await signIn(page, email, words)
    await page.getByText(words('my-factors.must-manager')).waitFor()
    await expectUsable(page, `factor must be set up.${language}`)
    await page.setViewportSize({ width: 390, height: 900 })
    expect(await page.getByRole('navigation').getByRole('link').count()).toBe(0)
    await page.getByRole('button', { name: words('nav.more') }).click()
    await page.getByRole('button', { name: words('person.sign-out') }).click()
    await atUrl(page, '/sign-in')
    await insertSetting(db, 'second_factor_roles', [])
  },
)

test.each(['en', 'de'] as Language[])('the second step of the sign-in in all its states, in %s', async (language) => {
  const { locale, t: words } = wordsOf(language)
  const anna = await seedWithApp('Anna Weber')
  const page = await openPage(browser, { url, locale })
  await page.goto('/sign-in?next=/me')
  await signIn(page, anna.email, words)
  await digitsOf(page, words).waitFor()
  await page.getByText(words('second-factor.who', { email: anna.email })).waitFor()
  expect(await page.evaluate('document.activeElement.autocomplete')).toBe('one-time-code')
  await expectUsable(page, `second step.${language}`)
  await digitsOf(page, words).fill(wrongCode(await anna.app.code()))
  await page.getByRole('alert').waitFor()
  await expectAccessible(page, `second step wrong.${language}`)

  await page.getByRole('button', { name: words('second-factor.use-recovery') }).click()
  await page.getByRole('button', { name: words('second-factor.recovery-submit'), exact: true }).click()
  await page.getByText(words('second-factor.recovery-missing')).waitFor()
  await page.getByLabel(words('second-factor.recovery-code')).fill('aaaa-aaaa')
  await page.keyboard.press('Enter')
  await page.getByText(/not right, or it was used|stimmt nicht, oder er wurde/).waitFor()
  await expectUsable(page, `recovery code wrong.${language}`)
  await page.getByLabel(words('second-factor.recovery-code')).fill(` ${anna.app.recoveryCodes[0]?.toUpperCase()} `)
  await page.keyboard.press('Enter')
  await atUrl(page, '/me')
  await page.getByText(words('my-factors.codes-left_other', { left: 9, count: 10 })).waitFor()

  await page.context().clearCookies()
  await page.goto('/sign-in')
  await signIn(page, anna.email, words)
  await page.getByRole('button', { name: words('second-factor.use-recovery') }).click()
  await page.getByLabel(words('second-factor.recovery-code')).fill(anna.app.recoveryCodes[0] as string)
  await page.keyboard.press('Enter')
  await page.getByText(/not right, or it was used|stimmt nicht, oder er wurde/).waitFor()
  await page.getByRole('button', { name: words('second-factor.back') }).click()
  expect(await page.getByLabel(words('sign-in.password'), { exact: true }).inputValue()).toBe('')
})

test('after ten minutes the second step leads back to the password, and says why', async () => {
  const anna = await seedWithApp()
  const page = await openPage(browser, { url })
  await page.goto('/sign-in')
  await signIn(page, anna.email)
  await digitsOf(page).waitFor()
  await db.query(`update pending_sign_ins set expires_at = now() - interval '1 second'`)
  await digitsOf(page).fill(await anna.app.code())
  await page.getByText(t('second-factor.too-late')).waitFor()
  await expectAccessible(page, 'second step too late')
  expect(await page.getByLabel(t('sign-in.email')).inputValue()).toBe(anna.email)
  await page.keyboard.type(password) // the field has the focus
  await page.keyboard.press('Enter')
  await digitsOf(page).fill(await anna.app.code())

  await atUrl(page, '/desk')
})

test('after too many wrong codes the second step counts down', async () => {
  const anna = await seedWithApp()
  const page = await openPage(browser, { url })
  await page.goto('/sign-in')
  await signIn(page, anna.email)
  for (let attempt = 0; attempt < 6; attempt++) {
    const answered = page.waitForResponse('**/api/v2/session/second-factor')
    await digitsOf(page).fill(wrongCode(await anna.app.code()))
    await answered
    await expect.poll(() => digitsOf(page).inputValue()).toBe('')
  }
  await page.getByText(/Sign in again with your password in 1[0-5] min\./).waitFor()
  await expectAccessible(page, 'second step throttled')
})

test('a session that ended continues with the second factor in the same dialog, and the page is as it was', async () => {
  const anna = await seedWithApp()
  const page = await openPage(browser, { url, session: anna.session })
  await page.goto('/desk')
  await page.getByLabel('For whom?').fill('Herr Maier')
  await db.query('delete from staff_sessions where staff_id = $1', [anna.id])
  await page.evaluate(`new BroadcastChannel('vs.session').postMessage('changed')`) // the page asks who is signed in
  await page.getByLabel(t('sign-in.password'), { exact: true }).fill(password)
  await page.getByRole('button', { name: t('sign-in.submit') }).click()
  await digitsOf(page).waitFor()
  await expectAccessible(page, 'second step in the dialog')
  await digitsOf(page).fill(await anna.app.code())

  await expect.poll(() => page.getByLabel('For whom?').inputValue()).toBe('Herr Maier')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a link for a new password leads to the second step', async () => {
  const anna = await seedWithApp()
  const link = (
    await app.call(`/api/v2/staff/${anna.id}/password-link`, { method: 'POST', session: admin.session })
  ).json()
  const page = await openPage(browser, { url })
  await page.goto(`/password${new URL(link.url).hash}`)
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Save the password' }).click()
  await atUrl(page, '/sign-in')
  await digitsOf(page).fill(await anna.app.code())

  await atUrl(page, '/desk')
})

test('a passkey whose counter went back is rejected, and its row says so', async () => {
  const { person, page, device } = await openWithPasskey()
  const signInWithPasskey = async () => {
    await signIn(page, person.email)
    await page.getByRole('button', { name: t('second-factor.use-passkey') }).click()
  }
  await signOut(page)
  await signInWithPasskey()
  await atUrl(page, '/desk')
  await signOut(page)
  await device.setCounters(0)
  await signInWithPasskey()
  await page.getByText('This passkey was not accepted: its counter went back.').waitFor()
  await expectAccessible(page, 'passkey counter')
  const account = await openPage(browser, { url, session: await startNewSession(person.id) })
  await account.goto('/me')
  await account.getByText(t('my-factors.counter')).waitFor()

  await expectAccessible(account, 'passkey counter row')
  const { rows } = await db.query(`select 1 from audit where action = 'staff.passkey_counter_went_back'`)
  expect(rows).toHaveLength(1)
})

/** A session as after a sign-in on another computer. */
async function startNewSession(staffId: string): Promise<string> {
  const visitor = { address: '127.0.0.1', userAgent: 'Test', token: undefined }
  return (await db.transaction((tx) => startSession(tx, visitor, staffId, { by: 'password' }))).token
}

test('a passkey of another origin with the same host is rejected', async () => {
  const { person, page } = await openWithPasskey()
  await signOut(page)
  const other = new URL(url)
  other.port = String(Number(other.port) === 65_535 ? 65_534 : Number(other.port) + 1)
  // The page has another port, so the passkey signs another origin. A proxy would pass such requests on in the same way.
  await page.route(`${other.origin}/**`, async (route) => {
    const headers = { ...route.request().headers(), origin: url, host: new URL(url).host }
    const response = await route.fetch({ url: route.request().url().replace(other.origin, url), headers })
    await route.fulfill({ response })
  })
  await page.goto(`${other.origin}/sign-in`)
  await signIn(page, person.email)
  await page.getByRole('button', { name: t('second-factor.use-passkey') }).click()
  await page.getByText('This passkey was not accepted.').waitFor()
  await expectAccessible(page, 'passkey of another origin')

  await page.goto(`${url}/sign-in`) // cookies do not depend on the port, so the second step is still open
  await page.getByRole('button', { name: t('second-factor.use-passkey') }).click()
  await atUrl(page, '/desk')
})

test('at another host name there is no passkey, and the page says why', async () => {
  const { person } = await openWithPasskey()
  const page = await openPage(browser, { url: app.url })
  await addVirtualAuthenticator(page)
  await page.goto('/sign-in')
  await signIn(page, person.email)
  await page.getByRole('button', { name: t('second-factor.use-passkey') }).click()
  await page.getByText('You have no passkey for this address.').waitFor()
  await expectAccessible(page, 'passkey elsewhere')
})

test('a cancelled passkey and a second one on the same device say what happened', async () => {
  const { page } = await openWithPasskey()
  await page.getByRole('button', { name: t('my-factors.add-passkey') }).click()
  await page.getByRole('button', { name: t('my-factors.add-submit') }).click()
  await page.getByText(t('second-factor.passkey-known')).waitFor()
  await page.getByText(t('my-factors.passkey-added')).waitFor({ state: 'detached' }) // the notice has closed itself
  await expectAccessible(page, 'passkey known')
  await page.getByRole('button', { name: t('actions.cancel') }).click()
  await page.evaluate('navigator.credentials.create = () => Promise.reject(new DOMException("", "NotAllowedError"))')
  await page.getByRole('button', { name: t('my-factors.add-passkey') }).click()
  await page.getByRole('button', { name: t('my-factors.add-submit') }).click()

  await page.getByText(t('second-factor.passkey-not-created')).waitFor()
})

test('a new sign-in by code or passkey; cancelling leaves the open dialog as it was', async () => {
  const { person, page } = await openWithPasskey()
  const { code } = await seedAuthenticatorApp(db, person.id)
  await page.reload()
  await makeOld(person.id)
  const again = page.getByRole('dialog', { name: t('second-factor.again-title') })
  const rename = page.getByRole('dialog', { name: t('my-factors.rename-title') })
  const begin = async () => {
    await rename.getByRole('button', { name: t('my-factors.rename-submit') }).click()
    await again.waitFor()
  }
  await page.getByRole('button', { name: t('table.acts', { name: 'Office computer' }) }).click()
  await page.getByRole('menuitem', { name: t('my-factors.rename') }).click()
  await rename.getByLabel(t('my-factors.passkey-name')).fill('Desk computer')
  await begin()
  await digitsOf(page).waitFor()
  await again.getByText(t('second-factor.again-lost')).waitFor()
  await expectAccessible(page, 'sign in again by code')
  await expectKeyboardReachesAll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await again.getByRole('button', { name: t('actions.cancel') }).click()
  await again.waitFor({ state: 'detached' })
  expect(await rename.getByLabel(t('my-factors.passkey-name')).inputValue()).toBe('Desk computer')
  expect(await rename.getByRole('alert').count()).toBe(0)
  await begin()
  await digitsOf(page).focus()
  await page.keyboard.press('Escape')
  await again.waitFor({ state: 'detached' })
  expect(await rename.getByLabel(t('my-factors.passkey-name')).inputValue()).toBe('Desk computer')
  await begin()
  await digitsOf(page).fill(wrongCode(await code()))
  await again.getByRole('alert').waitFor()
  await digitsOf(page).fill(await code())
  await rename.waitFor({ state: 'detached' })
  await page.getByText('Desk computer').waitFor()

  await makeOld(person.id)
  await page.getByRole('button', { name: t('table.acts', { name: 'Desk computer' }) }).click()
  await page.getByRole('menuitem', { name: t('my-factors.rename') }).click()
  await rename.getByLabel(t('my-factors.passkey-name')).fill('Front desk')
  await begin()
  await again.getByRole('button', { name: t('second-factor.use-passkey') }).click()
  await page.getByText('Front desk').waitFor()
})

test('an administrator sees the factors of people and resets them', async () => {
  const anna = await seedWithApp('Anna Weber')
  const page = await openPage(browser, { url, session: admin.session })
  await page.goto('/settings?text=Anna')
  const row = page.getByRole('row', { name: new RegExp(anna.email) })
  await row.getByText('Second factor: app').waitFor()
  await row.getByRole('button', { name: t('table.acts', { name: 'Anna Weber' }) }).click()
  await page.getByRole('menuitem', { name: t('settings.act-reset-factors') }).click()
  await page.getByText(t('settings.reset-factors-text')).waitFor()
  await expectAccessible(page, 'reset second factor')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: t('settings.reset-factors-submit') }).click()

  await row.getByText('Second factor: none').waitFor()
  const theirs = await openPage(browser, { url })
  await theirs.goto('/sign-in')
  await signIn(theirs, anna.email)
  await atUrl(theirs, '/desk')
})
