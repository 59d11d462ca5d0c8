import { X509Certificate } from 'node:crypto'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { startWorkerOf } from '#test/app.ts'
import { expectUsable } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { isLong } from '#test/measuring.ts'
import { issueMailCertificate, mailUser, startMailServer } from '#test/network/mail-server.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
await seedSite(app.db, { name: 'Hotel Goldener Adler' })
await seedSite(app.db, { name: 'Kongresshalle Passau' })
const admin = await seedPerson(app.db, { role: 'admin', name: 'Katrin Vogt', email: 'k.vogt@provider.example' })
const certificate = await issueMailCertificate()
const { fingerprint256 } = new X509Certificate(certificate.certificate)
const password = 'hunter2 & co'
const server = await startMailServer({ certificate, password })
const given = { host: '127.0.0.1', port: server.port, username: mailUser, password, certificate_pin: fingerprint256 }
const settings = async () => (await app.call('/api/v2/settings/mail', { session: admin.session })).json()

test('an administrator sets up the mail server, trusts its certificate, and gives a site its own sender', async () => {
  const page = await openPage(browser, { url: app.url, session: admin.session })
  await page.goto('/settings?tab=email')
  await page.getByText('Without a mail server, the service sends no e-mail.').waitFor()
  await page.getByText('The test message goes to k.vogt@provider.example').waitFor()
  await page.getByText('None yet: these sites send no e-mail').waitFor()
  if (isLong) await expectUsable(page, 'email empty')

  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.getByText('Enter the name of the mail server.').waitFor()
  await page.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1')
  await page.getByText('TLS from the start', { exact: true }).click()
  expect(await page.getByLabel('Port', { exact: true }).inputValue()).toBe('465')
  await page.getByText('STARTTLS, required', { exact: true }).click()
  await page.getByLabel('Port', { exact: true }).fill(String(server.port))
  await page.getByLabel('User name').fill(mailUser)
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.getByText('Enter the password.').waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Save and test' }).click()

  const line = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await page.getByText('The test failed at “Encryption”.').waitFor()
  await line('Connection').getByText(`Port ${server.port} answers: 220 mail.example`).waitFor()
  await line('Sign-in').getByText('Not tried: “Encryption” must work first.').waitFor()
  await page.getByRole('img', { name: `SHA-256 fingerprint ${fingerprint256}` }).waitFor()
  if (isLong) await expectUsable(page, 'email untrusted')
  await page.getByRole('button', { name: 'Trust this certificate' }).click()

  await page.getByText('The mail server accepts messages.').waitFor()
  await line('Encryption')
    .getByText(/STARTTLS, TLS 1\.3 · the trusted certificate, valid until/)
    .waitFor()
  await line('Test message')
    .getByText(/250 OK: queued as 4F2C1D0\. The server has accepted the message\./)
    .waitFor()
  await page.getByText(`Only the certificate ${fingerprint256.slice(0, 23)}… is accepted.`).waitFor()
  expect(await page.getByPlaceholder('stored, never shown').inputValue()).toBe('')
  expect(await settings()).toMatchObject({
    server: { host: '127.0.0.1', port: server.port, password_set: true, certificate_pin: fingerprint256 },
  })
  expect(server.received).toMatchObject([{ to: ['k.vogt@provider.example'] }])

  await page.getByRole('button', { name: 'Edit the sender of All other sites' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Gäste-WLAN')
  await page.getByLabel('Address', { exact: true }).fill('wlan at provider')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('address has the wrong format').waitFor()
  await page.getByLabel('Address', { exact: true }).fill('wlan@provider.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('row', { name: /All other sites Gäste-WLAN wlan@provider\.example –/ }).waitFor()

  const notice = page.getByText('Saved', { exact: true })
  await notice.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add a site' }).click()
  await page.getByRole('combobox', { name: 'Site' }).click()
  await page.getByRole('option', { name: 'Hotel Goldener Adler' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Hotel Goldener Adler')
  await page.getByLabel('Address', { exact: true }).fill('wlan@goldener-adler.example')
  await page.getByLabel('Reply to').fill('empfang@goldener-adler.example')
  if (isLong) await expectUsable(page, 'email sender')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('row', { name: /Hotel Goldener Adler.*empfang@goldener-adler\.example/ }).waitFor()
  await notice.waitFor({ state: 'detached' })
  await expectUsable(page, 'email')
})

test.runIf(isLong)(
  'a new server needs the password again, a rejected sign-in takes a new one, and the server can be removed',
  async () => {
    await app.call('/api/v2/settings/mail', { method: 'PATCH', session: admin.session, body: JSON.stringify(given) })
    const page = await openPage(browser, { url: app.url, session: admin.session })
    await page.goto('/settings?tab=email')
    await page.getByRole('textbox', { name: 'Server' }).fill('localhost')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('The server was changed. Enter the password again.').waitFor()
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText(/^535 /).waitFor()
    await page.getByText('The mail server rejected the user name or the password.').waitFor()
    await expectUsable(page, 'email rejected')
    await page.getByRole('textbox', { name: 'New password' }).fill(password)
    await page.getByRole('textbox', { name: 'New password' }).press('Enter')
    await page.getByText('The mail server accepts messages.').waitFor()

    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove the mail server' }).click()
    await page.getByText('Without a mail server, the service sends no e-mail.').waitFor()
    expect(await settings()).toMatchObject({ server: null })
  },
)

test.runIf(isLong)('a server without STARTTLS gets nothing, and the line offers TLS from the start', async () => {
  const plain = await startMailServer({ security: 'none', password, options: { allowInsecureAuth: true } })
  await app.call('/api/v2/settings/mail', {
    method: 'PATCH',
    session: admin.session,
    body: JSON.stringify({ ...given, port: plain.port, certificate_pin: null }),
  })
  const page = await openPage(browser, { url: app.url, session: admin.session, locale: 'de-AT' })
  await page.goto('/settings?tab=email')
  await page.getByRole('textbox', { name: 'Passwort' }).fill(password)
  await page.getByRole('button', { name: 'Speichern und testen' }).click()
  await page.getByText(/bietet auf Port \d+ kein STARTTLS an\. Es wurde nichts gesendet\./).waitFor()
  await expectUsable(page, 'email without starttls')
  await page.getByRole('button', { name: 'TLS von Anfang an verwenden, Port 465' }).click()
  await page.getByText('Auf Port 465 von 127.0.0.1 antwortet kein Programm.').waitFor()

  expect(await settings()).toMatchObject({ server: { port: 465, security: 'tls', password_set: true } })
  expect(plain.plainText()).not.toMatch(/AUTH|MAIL/)
})

test.runIf(isLong)('a mail server of the environment can be tested, but not changed', async () => {
  const fixed = await startWebApp({ MAIL_SERVER: `127.0.0.1:${server.port}`, MAIL_FROM: 'Wi-Fi <w@x.example>' })
  const person = await seedPerson(fixed.db, { role: 'admin' })
  const page = await openPage(browser, { url: fixed.url, session: person.session })
  await page.goto('/settings?tab=email')
  await page.getByText('The environment variable MAIL_SERVER sets the mail server.').waitFor()
  await page.getByText('set by MAIL_FROM').waitFor()
  expect(await page.getByRole('textbox', { name: 'Server' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('The test failed at “Encryption”.').waitFor()
  await page.getByRole('img', { name: `SHA-256 fingerprint ${fingerprint256}` }).waitFor()
  await page.getByText('the operator sets MAIL_CERTIFICATE_PIN to this fingerprint').waitFor()
  await expectUsable(page, 'email of the environment')

  expect(await page.getByRole('button', { name: /Trust|Remove|Edit/ }).count()).toBe(0)
})

const words = {
  'en-GB': {
    ...{
      invite: 'Invite',
      name: 'Name',
      email: 'E-mail',
      send: /Send the link by e-mail/,
      create: 'Create the link',
      done: 'Done',
    },
    ...{ accepted: 'E-mail accepted by the mail server', rejected: 'E-mail rejected by the mail server' },
    ...{ acts: 'Actions for Lea Huber', link: 'New link', forgotten: 'Forgotten your password?', ask: 'Send the link' },
    ...{
      sent: 'Check your mailbox',
      password: 'New password',
      save: 'Save the password',
      wrong: 'Enter a valid e-mail address.',
    },
  },
  'de-DE': {
    ...{
      invite: 'Einladen',
      name: 'Name',
      email: 'E-Mail',
      send: /Link per E-Mail senden/,
      create: 'Link erstellen',
      done: 'Fertig',
    },
    ...{ accepted: 'E-Mail vom Mailserver angenommen', rejected: 'E-Mail vom Mailserver abgelehnt' },
    ...{ acts: 'Aktionen für Lea Huber', link: 'Neuer Link', forgotten: 'Passwort vergessen?', ask: 'Link senden' },
    ...{
      sent: 'Sehen Sie in Ihrem Postfach nach',
      password: 'Neues Passwort',
      save: 'Passwort speichern',
      wrong: 'Geben Sie eine gültige E-Mail-Adresse ein.',
    },
  },
}

test.each(isLong ? (['en-GB', 'de-DE'] as const) : (['en-GB'] as const))(
  'somebody is invited by e-mail, sets a password, forgets it, and gets another link, in %s',
  async (locale) => {
    const port = await freePort()
    const own = await startWebApp({ PUBLIC_URL: `http://localhost:${port}` }, { port })
    const mail = await setUpMail(own)
    await startWorkerOf(own)
    const admin = await seedPerson(own.db, { role: 'admin' })
    const t = words[locale]
    const url = `http://localhost:${port}`
    const nextLink = async (count: number) => {
      await expect.poll(() => mail.received.length).toBe(count)
      const { text = '' } = await PostalMime.parse(mail.received[count - 1]?.message as Buffer)
      return /http:\S+#\w{43}/.exec(text)?.[0] as string
    }

    const staff = await openPage(browser, { url, session: admin.session, locale })
    await staff.goto('/settings')
    await staff.getByRole('button', { name: t.invite }).click()
    await staff.getByLabel(t.name, { exact: true }).fill('Lea Huber')
    await staff.getByRole('textbox', { name: t.email }).fill('lea@adler.example')
    await staff.getByRole('radio', { name: 'Administrator' }).click()
    expect(await staff.getByLabel(t.send).isChecked()).toBe(true)
    if (isLong) await expectUsable(staff, `people invite.${locale}`)
    await staff.getByRole('button', { name: t.create }).click()
    await staff.getByText(`${url}/password#`).waitFor()
    if (isLong) await expectUsable(staff, `people link mailed.${locale}`)
    await staff.getByRole('button', { name: t.done }).click()
    await staff.getByText(t.accepted).waitFor()
    if (isLong) await expectUsable(staff, `people accepted.${locale}`)

    const lea = await openPage(browser, { url, locale })
    await lea.goto(await nextLink(1))
    await lea.getByLabel(t.password).fill('four random words')
    await lea.getByRole('button', { name: t.save }).click()
    await atUrl(lea, '/desk')

    const later = await openPage(browser, { url, locale })
    await later.goto('/sign-in')
    if (isLong) await expectUsable(later, `sign-in with mail.${locale}`)
    await later.getByRole('link', { name: t.forgotten }).click()
    await later.getByRole('button', { name: t.ask }).click()
    await later.getByText(t.wrong).waitFor()
    await later.getByRole('textbox', { name: t.email }).fill('LEA@adler.example')
    if (isLong) await expectUsable(later, `forgotten.${locale}`)
    await later.getByRole('button', { name: t.ask }).click()
    await later.getByRole('heading', { name: t.sent }).waitFor()
    if (isLong) await expectUsable(later, `forgotten sent.${locale}`)
    await later.goto(await nextLink(2))
    await later.getByLabel(t.password).fill('five other random words')
    await later.getByRole('button', { name: t.save }).click()
    await atUrl(later, '/desk')

    mail.faults.to = { code: 550, text: '5.1.1 No such mailbox here' }
    await staff.reload()
    await staff.getByRole('button', { name: t.acts }).click()
    await staff.getByRole('menuitem', { name: t.link }).click()
    await staff.getByLabel(t.send).waitFor()
    if (isLong) await expectUsable(staff, `people new link.${locale}`)
    await staff.getByRole('button', { name: t.create }).click()
    await staff.getByRole('button', { name: t.done }).click()
    await staff.getByText(t.rejected).waitFor()
    await staff.getByText('No such mailbox here').waitFor()
    if (isLong) await expectUsable(staff, `people rejected.${locale}`)
  },
)
