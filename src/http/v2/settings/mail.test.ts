import { X509Certificate } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedPerson, seedSite } from '#test/data/seed.ts'
import { issueMailCertificate, mailUser, startMailServer } from '#test/network/mail-server.ts'
import { startListener } from '#test/network/sockets.ts'

const app = await startApp()
const { session } = await seedPerson(app.db, { role: 'admin', name: 'K. Vogt', email: 'k.vogt@provider.example' })
const path = '/api/v2/settings/mail'
const ask = (method: string, rest = '', body?: object, headers = {}) =>
  app.call(`${path}${rest}`, { method, session, headers, ...(body && { body: JSON.stringify(body) }) })

const certificate = await issueMailCertificate()
const { fingerprint256: certificatePin } = new X509Certificate(certificate.certificate)
const password = 'hunter2 & co'
const server = await startMailServer({ certificate, password })
const given = { host: '127.0.0.1', port: server.port, username: mailUser, password, certificate_pin: certificatePin }

beforeEach(async () => {
  await app.db.query('delete from settings')
  server.received.length = 0
  for (const step of Object.keys(server.faults)) delete server.faults[step as keyof typeof server.faults]
})

const { password: _, ...readable } = given

test('the mail server is set up, read without its password, changed and removed', async () => {
  const empty = (await ask('GET')).json()
  const set = (await ask('PATCH', '', given)).json()
  const moved = await ask('PATCH', '', { port: 2525 })
  const changed = (await ask('PATCH', '', { username: 'other' })).json()
  const removed = await ask('DELETE')

  const nothing = { server: null, sender: null, senders: [], set_by: { server: null, sender: null } }
  expect(empty).toEqual(nothing)
  expect(set).toEqual({ ...nothing, server: { ...readable, security: 'starttls', password_set: true } })
  expect([moved.status, moved.json().errors]).toEqual([400, [expect.objectContaining({ field: 'password' })]])
  expect(changed.server).toMatchObject({ username: 'other', password_set: true })
  expect(removed.status).toBe(204)
  expect((await ask('GET')).json()).toEqual(nothing)
})

test('senders are set and removed', async () => {
  const site = await seedSite(app.db, { name: 'Kongresshalle' })
  const sender = { name: 'Gäste-WLAN', address: 'wlan@provider.example', reply_to: null }
  const own = { name: 'Kongresshalle', address: 'wifi@kongress.example', reply_to: 'desk@kongress.example' }

  await ask('PUT', '/sender', sender)
  const answer = (await ask('PUT', `/senders/${site}`, own)).json()
  const invalid = await ask('PUT', '/sender', { ...sender, address: 'a@x.example, b@x.example' })
  const nameless = await ask('PUT', '/sender', { ...sender, name: ' ' })
  await ask('DELETE', '/sender')
  await ask('DELETE', `/senders/${site}`)

  expect(answer).toMatchObject({ sender, senders: [{ site_id: site, site: 'Kongresshalle', sender: own }] })
  expect([invalid.status, invalid.json().errors]).toEqual([400, [expect.objectContaining({ field: 'address' })]])
  expect([nameless.status, nameless.json().error]).toEqual([400, 'display_name_invalid'])
  expect((await ask('GET')).json()).toMatchObject({ sender: null, senders: [] })
})

const linesOf = (answer: { lines: { line: string; result: string; cause: string | null }[] }) =>
  answer.lines.map(({ line, result, cause }) => [line, result, ...(cause ? [cause] : [])].join(' '))

test('a test goes through all lines and sends a message to the signed-in person', async () => {
  await ask('PATCH', '', given)
  await ask('PUT', '/sender', { name: 'Gäste-WLAN', address: 'wlan@provider.example', reply_to: null })

  const answer = (await ask('POST', '/test', {}, { 'accept-language': 'de' })).json()

  expect(answer).toMatchObject({
    ok: true,
    host: '127.0.0.1',
    port: server.port,
    to: 'k.vogt@provider.example',
    addresses: ['127.0.0.1'],
    protocol: 'TLSv1.3',
    certificate: { fingerprint: certificatePin, subject: 'mail.example', trust: 'pinned' },
  })
  expect(linesOf(answer)).toEqual(['name ok', 'connection ok', 'encryption ok', 'sign_in ok', 'message ok'])
  expect(answer.lines.map((line: { answer: string }) => line.answer)).toEqual([
    null,
    expect.stringMatching(/^220 mail\.example/),
    null,
    '235 Authentication successful',
    '250 OK: queued as 4F2C1D0',
  ])
  expect(server.received).toMatchObject([{ from: 'wlan@provider.example', to: ['k.vogt@provider.example'] }])
  expect(server.received[0]?.message.toString()).toContain('Subject: Testnachricht des Voucher Service')
  const { rows } = await app.db.query(`select details from audit where action = 'settings.mail_server_tested'`)
  expect(rows).toEqual([{ details: { host: '127.0.0.1', port: server.port, reached: 'message' } }])
})

test('entered fields are tested without saving them', async () => {
  const answer = (await ask('POST', '/test', { ...given, to: 'somebody@else.example' })).json()

  expect(answer).toMatchObject({ ok: true, to: 'somebody@else.example' })
  expect((await ask('GET')).json()).toMatchObject({ server: null })
})

test('a certificate that is not trusted stops the test, and its fingerprint is shown', async () => {
  const answer = (await ask('POST', '/test', { ...given, certificate_pin: null })).json()

  expect(linesOf(answer)).toEqual([
    'name ok',
    'connection ok',
    'encryption failed certificate_self_signed',
    'sign_in skipped',
    'message skipped',
  ])
  expect(answer).toMatchObject({ ok: false, certificate: { fingerprint: certificatePin, trust: 'untrusted' } })
  expect(answer.lines[2].message).toMatch(/Compare its fingerprint/)
})

test('the stored password is not sent to another server', async () => {
  const listener = await startListener({ address: '127.0.0.1' })
  const other = await startMailServer({ certificate, password })
  await ask('PATCH', '', given)

  const answer = (await ask('POST', '/test', { port: other.port })).json()
  const unencrypted = (await ask('POST', '/test', { port: listener.port, security: 'none' })).json()

  expect(linesOf(answer).slice(2)).toEqual(['encryption ok', 'sign_in skipped password_not_reused', 'message skipped'])
  expect(answer.ok).toBe(false)
  expect(linesOf(unencrypted)[0]).toBe('name failed password_unencrypted')
  expect([other.received, listener.connections]).toEqual([[], 0])
})

test('the answer of the server is shown, without addresses and the password', async () => {
  server.faults.signIn = { code: 535, text: `Wrong ${password} for ${mailUser}` }
  const signIn = (await ask('POST', '/test', given)).json()
  server.faults.signIn = { code: 454, text: 'Try later' }
  const later = (await ask('POST', '/test', given)).json()
  delete server.faults.signIn
  server.faults.from = { code: 550, text: 'Sender not allowed' }
  const message = (await ask('POST', '/test', given)).json()

  expect(signIn.lines[3]).toMatchObject({
    result: 'failed',
    cause: 'credentials_refused',
    answer: '535 ***',
  })
  expect(later.lines[3]).toMatchObject({ cause: 'not_now', answer: '454 Try later' })
  expect(message.lines[4]).toMatchObject({
    result: 'failed',
    cause: 'message_rejected',
    answer: '550 Sender not allowed',
    message: expect.stringContaining('Sender of each site'),
  })
})

test('a test without a server, without a recipient, or too many of them are rejected', async () => {
  const { key } = await seedKey(app.db, { scope: 'manage' })
  const byKey = (body: object) => app.call(`${path}/test`, { method: 'POST', key, body: JSON.stringify(body) })
  const missing = await byKey({ to: 'a@x.example' })
  const nobody = await byKey(given)
  const invalid = await byKey({ ...given, to: 'a@x.example, b@x.example' })
  const more = await Promise.all(Array.from({ length: 10 }, () => byKey({ to: 'a@x.example' })))

  expect([missing.status, missing.json().error]).toEqual([409, 'mail_server_missing'])
  expect([nobody.status, nobody.json().errors[0].field]).toEqual([400, 'to'])
  expect([invalid.status, invalid.json().errors[0].field]).toEqual([400, 'to'])
  expect(more.map(({ status }) => status)).toContain(429)
})

test('a sender of the environment needs no name', async () => {
  const fixed = await startApp({ MAIL_FROM: 'w@x.example' })
  const person = await seedPerson(fixed.db, { role: 'admin' })

  expect((await fixed.call(path, { session: person.session })).json()).toMatchObject({
    sender: { name: '', address: 'w@x.example' },
  })
})

test('the environment sets the server', async () => {
  const fixed = await startApp({ MAIL_SERVER: 'smtp.provider.example:587', MAIL_FROM: 'Wi-Fi <w@x.example>' })
  const person = await seedPerson(fixed.db, { role: 'admin' })
  const call = (method: string, rest: string, body?: object) =>
    fixed.call(`${path}${rest}`, { method, session: person.session, ...(body && { body: JSON.stringify(body) }) })

  expect((await call('GET', '')).json()).toMatchObject({
    server: { host: 'smtp.provider.example', password_set: false },
    sender: { name: 'Wi-Fi', address: 'w@x.example' },
    set_by: { server: 'MAIL_SERVER', sender: 'MAIL_FROM' },
  })
  for (const answer of [
    await call('PATCH', '', { port: 1 }),
    await call('DELETE', ''),
    await call('POST', '/test', { port: 1 }),
    await call('DELETE', '/sender'),
  ])
    expect([answer.status, answer.json().error]).toEqual([409, 'setting_fixed'])
})
