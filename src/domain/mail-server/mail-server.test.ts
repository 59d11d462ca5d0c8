import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'

import { rotateSecrets } from '../secrets/rotate-secrets.ts'
import { findSender, readMailSenders, setMailSender } from './mail-senders.ts'
import { findMailServer, readMailServer, removeMailServer, setMailServer } from './mail-server.ts'

const db = await createTestDatabase()
const ctx = { db, keyring: testKeyring, fixedSettings: {} }
const pin = `${'AB:'.repeat(31)}AB`

async function auditOf(): Promise<{ action: string; details: object }[]> {
  const { rows } = await db.query<{ action: string; details: object }>('select action, details from audit order by id')
  await db.query('truncate audit')
  return rows
}

test('the mail server is stored with an encrypted password, and the audit never contains it', async () => {
  expect(await findMailServer(ctx)).toBe(null)

  await setMailServer(ctx, testActor, { host: 'SMTP.Provider.Example', username: 'voucher', password: 'hunter2 & co' })

  expect(await findMailServer(ctx)).toEqual({
    host: 'smtp.provider.example',
    port: 587,
    security: 'starttls',
    username: 'voucher',
    password: 'hunter2 & co',
    certificatePin: null,
  })
  expect(await readMailServer(ctx)).toMatchObject({ passwordSet: true })
  const { rows } = await db.query('select to_jsonb(settings)::text as text from settings')
  expect(JSON.stringify([rows, await auditOf()])).not.toContain('hunter2')
})

test('another key of the keyring encrypts the password again', async () => {
  const keyring = { currentId: 'next', keys: new Map([...testKeyring.keys, ['next', Buffer.alloc(32, 9)]]) }
  const next = { currentId: 'next', keys: new Map([['next', Buffer.alloc(32, 9)]]) }

  expect(await rotateSecrets(db, keyring)).toEqual({ rotated: 1 })
  expect(await findMailServer({ ...ctx, keyring: next })).toMatchObject({ password: 'hunter2 & co' })
  await rotateSecrets(db, { ...keyring, currentId: testKeyring.currentId })
})

test.each([
  ['another host', { host: 'other.example' }],
  ['another port', { port: 2525 }],
  ['other encryption', { security: 'tls' }],
  ['another certificate', { certificatePin: pin }],
] as const)('a stored password is not used for %s', async (_what, change) => {
  await expect(setMailServer(ctx, testActor, change)).rejects.toMatchObject({ code: 'mail_password_required' })
  expect(await findMailServer(ctx)).toMatchObject({
    host: 'smtp.provider.example',
    port: 587,
    password: 'hunter2 & co',
  })
})

test('other fields change alone, and a change is audited once', async () => {
  await auditOf()
  await setMailServer(ctx, testActor, { username: 'wlan' })
  await setMailServer(ctx, testActor, { username: 'wlan' })
  await setMailServer(ctx, testActor, { host: 'other.example', password: 'new one', certificatePin: pin })
  await setMailServer(ctx, testActor, { username: null })
  await setMailServer(ctx, testActor, { security: 'none', port: 25, host: '10.0.0.7' })
  const last = await findMailServer(ctx)
  await removeMailServer(ctx, testActor)
  await removeMailServer(ctx, testActor)

  expect(last).toEqual({
    host: '10.0.0.7',
    port: 25,
    security: 'none',
    username: null,
    password: null,
    certificatePin: null,
  })
  expect(await findMailServer(ctx)).toBe(null)
  expect(await auditOf()).toEqual([
    {
      action: 'settings.mail_server_changed',
      details: { changes: { username: 'wlan' }, before: { username: 'voucher' } },
    },
    {
      action: 'settings.mail_server_changed',
      details: {
        changes: { host: 'other.example', certificatePin: pin },
        before: { host: 'smtp.provider.example', certificatePin: null },
        passwordReplaced: true,
      },
    },
    {
      action: 'settings.mail_server_changed',
      details: { changes: { username: null }, before: { username: 'wlan' }, passwordErased: true },
    },
    {
      action: 'settings.mail_server_changed',
      details: {
        changes: { host: '10.0.0.7', port: 25, security: 'none', certificatePin: null },
        before: { host: 'other.example', port: 587, security: 'starttls', certificatePin: pin },
      },
    },
    { action: 'settings.mail_server_removed', details: { host: '10.0.0.7', port: 25 } },
  ])
})

test.each([
  [{}, 'mail_host_required'],
  [{ host: 'a b' }, 'mail_host_invalid'],
  [{ host: 'https://x' }, 'mail_host_invalid'],
  [{ host: '127.1' }, 'mail_host_invalid'],
  [{ host: 'x.example', username: 'a' }, 'mail_password_required'],
  [{ host: 'x.example', password: 'a' }, 'mail_username_required'],
  [{ host: 'x.example', security: 'none', username: 'a', password: 'b' }, 'mail_password_unencrypted'],
] as const)('%j is rejected with %s', async (change, code) => {
  await expect(setMailServer(ctx, testActor, change)).rejects.toMatchObject({ code })
  expect(await findMailServer(ctx)).toBe(null)
})

test('the usual port depends on the encryption', async () => {
  await setMailServer(ctx, testActor, { host: 'x.example', security: 'tls' })

  expect(await findMailServer(ctx)).toMatchObject({ port: 465 })
})

test('the environment wins and cannot be changed', async () => {
  const server = {
    host: 'y.example',
    port: 587,
    security: 'starttls',
    username: 'u',
    password: 'p',
    certificatePin: null,
  } as const
  const sender = { name: 'Y', address: 'y@y.example', replyTo: null }
  const fixed = { ...ctx, fixedSettings: { mail_server: server, mail_from: sender } }

  expect(await findMailServer(fixed)).toEqual(server)
  expect(await readMailServer(fixed)).toMatchObject({ host: 'y.example', passwordSet: true })
  expect(await readMailServer(fixed)).not.toHaveProperty('password')
  expect(await findSender(fixed, 1)).toEqual(sender)
  for (const change of [setMailServer(fixed, testActor, { port: 1 }), removeMailServer(fixed, testActor)])
    await expect(change).rejects.toMatchObject({ code: 'setting_fixed', details: { variable: 'MAIL_SERVER' } })
  await expect(setMailSender(fixed, testActor, null, sender)).rejects.toMatchObject({
    details: { variable: 'MAIL_FROM' },
  })
})

test('a site has its own sender, or that of all other sites', async () => {
  const [adler, bridge] = [await seedSite(db), await seedSite(db)]
  const sender = (name: string, replyTo: string | null = null) => ({ name, address: 'wlan@x.example', replyTo })
  expect(await findSender(ctx, adler)).toBe(null)
  await auditOf()

  await setMailSender(ctx, testActor, null, sender('All'))
  await setMailSender(ctx, testActor, adler, sender(' Adler ', 'desk@adler.example'))
  await setMailSender(ctx, testActor, adler, sender('Adler', 'desk@adler.example'))

  expect(await findSender(ctx, adler)).toEqual(sender('Adler', 'desk@adler.example'))
  expect(await findSender(ctx, bridge)).toEqual(sender('All'))
  expect(await findSender({ ...ctx, fixedSettings: { mail_from: sender('Env') } }, adler)).toMatchObject({
    name: 'Adler',
  })
  expect(await readMailSenders(ctx)).toMatchObject({
    ofOtherSites: sender('All'),
    ofSites: [{ siteId: adler, ...sender('Adler', 'desk@adler.example') }],
  })
  await setMailSender(ctx, testActor, adler, null)
  expect(await findSender(ctx, adler)).toEqual(sender('All'))
  expect((await auditOf()).map(({ action }) => action)).toEqual([
    'settings.mail_sender_changed',
    'site.mail_sender_changed',
    'site.mail_sender_changed',
  ])
})

test.each([
  [{ name: 'x', address: 'nobody', replyTo: null }, 'address'],
  [{ name: 'x', address: 'a@x.example', replyTo: 'b@x.example, c@x.example' }, 'reply_to'],
])('the sender %j is rejected because of its %s', async (sender, field) => {
  await expect(setMailSender(ctx, testActor, null, sender)).rejects.toMatchObject({
    code: 'mail_address_invalid',
    details: { field },
  })
})
