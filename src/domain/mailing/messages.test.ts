import PostalMime from 'postal-mime'
import { beforeEach, expect, test } from 'vitest'
import { hashOf, keyHashes } from '#domain/idempotency.ts'
import { setMailSender } from '#domain/mail-server/mail-senders.ts'
import { setMailServer } from '#domain/mail-server/mail-server.ts'
import { eraseOldAddresses } from '#domain/messages/messages.queries.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey, seedPerson, seedSite, seedVoucher, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { setUpMail } from '#test/mail.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp({ WEBHOOK_RETRY_SCALE: '0.01' })
const mail = await setUpMail(app)
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator, { name: 'Adler' })
const { key } = await seedKey(app.db, { scope: 'write' })
const { key: manager } = await seedKey(app.db, { scope: 'manage' })
const { session } = await seedPerson(app.db, { role: 'desk' })
await app.call(`/api/v2/sites/${site}/guest-info`, {
  method: 'PATCH',
  key: manager,
  body: JSON.stringify({ wifi_name: 'Adler-Gast', wifi_password: 'canary-password', guest_languages: ['de', 'en'] }),
})
await startWorkerOf(app)
const guest = 'gast@example.org'
const sender = { name: 'Adler', address: 'wlan@adler.example', replyTo: null }

beforeEach(() => {
  mail.received.length = 0
  for (const step of Object.keys(mail.faults)) delete mail.faults[step as keyof typeof mail.faults]
})

const create = (body: object, caller: { key?: string; session?: string } = { session }) =>
  app.call('/api/v2/vouchers', {
    method: 'POST',
    ...caller,
    body: JSON.stringify({ site_id: site, name: 'Familie Huber', ...body }),
  })
const send = (id: string, body: object = { email: guest }) =>
  app.call(`/api/v2/vouchers/${id}/messages`, { method: 'POST', session, body: JSON.stringify(body) })
const messagesOf = async (id: string, caller: { key?: string; session?: string } = { session }) =>
  (await app.call(`/api/v2/vouchers/${id}/messages`, caller)).json().messages
/** A voucher that the controller has, so that no sync takes it for deleted. */
const newVoucher = async () => (await create({})).json().id as string
const stored = async () => (await app.db.query('select state, email, answer from messages order by id')).rows
const stateOf = (id: string) => async () => (await messagesOf(id))[0]?.state
const arrived = async (count: number) => {
  await expect.poll(() => mail.received.length).toBe(count)
  return Promise.all(
    mail.received.map(async ({ message, to }) => ({ to, parsed: await PostalMime.parse(message), raw: `${message}` })),
  )
}

test('the code arrives as text and HTML, with the QR code of the Wi-Fi, in the language of the site', async () => {
  const voucher = (await create({ message: { email: guest }, name: 'Familie <b>Huber</b>' })).json()
  const [received] = await arrived(1)

  expect(received?.to).toEqual([guest])
  const { parsed, raw } = received as NonNullable<typeof received>
  for (const text of [parsed.text, parsed.html])
    for (const expected of [voucher.formatted_code, 'Adler-Gast', 'canary-password', 'Diesen Code eingeben'])
      expect(text).toContain(expected)
  expect(parsed.text).toContain('Familie <b>Huber</b>')
  expect(parsed.html).toContain('Familie &lt;b&gt;Huber&lt;/b&gt;')
  expect(parsed.html).not.toMatch(/https?:/)
  expect(parsed.attachments).toMatchObject([{ contentId: '<wifi-qr>', mimeType: 'image/png' }])
  expect(raw).toContain('Auto-Submitted: auto-generated')
  await expect.poll(stateOf(voucher.id)).toBe('accepted')
  expect((await messagesOf(voucher.id))[0]).toMatchObject({ email: guest, language: 'de', attempts: 1, failure: null })
  expect((await messagesOf(voucher.id, { key }))[0]).toMatchObject({ email: null, state: 'accepted' })
})

test('a message of a key has no Wi-Fi password, and its language can be chosen', async () => {
  await create({ message: { email: guest, language: 'en' } }, { key })
  const [received] = await arrived(1)

  expect(received?.parsed.text).toContain('Enter this code')
  expect(received?.raw).not.toContain('canary-password')
  expect(received?.parsed.attachments).toEqual([])
})

test('a voucher that exists is sent again', async () => {
  const { id, formatted_code: code } = (await create({})).json()
  const answer = await send(id, { email: guest, language: 'fr' })

  expect([answer.status, answer.json()]).toMatchObject([202, { state: 'waiting', email: guest, language: 'fr' }])
  expect((await arrived(1))[0]?.parsed.text).toContain(code)
})

test('451, then accepted: the same Message-ID; 550: tried once', async () => {
  mail.faults.to = { code: 451, text: 'Try again later' }
  const id = await newVoucher()
  await send(id)
  await expect.poll(async () => (await messagesOf(id))[0]?.failure).toBe('not_now')
  delete mail.faults.to
  await arrived(1)
  await expect.poll(stateOf(id)).toBe('accepted')

  mail.faults.to = { code: 550, text: `No such mailbox ${guest}` }
  const other = await newVoucher()
  await send(other)
  await expect.poll(stateOf(other)).toBe('rejected')
  expect((await messagesOf(other))[0]).toMatchObject({
    attempts: 1,
    answer: expect.stringContaining('No such mailbox ***'),
  })
  expect(mail.received).toHaveLength(1)
})

test('cut after the final dot: the second message has the same Message-ID', async () => {
  mail.faults.data = 'cut'
  const id = await newVoucher()
  await send(id)
  await expect.poll(async () => (await messagesOf(id))[0]?.failure).toBe('connection_lost')
  const seen = (await app.db.query('select id, id_host from messages order by id desc limit 1')).rows[0]
  delete mail.faults.data

  expect((await arrived(1))[0]?.parsed.messageId).toBe(`<${seen?.id}@${seen?.id_host}>`)
})

test('a voucher that ended or was revoked while its message waited is never mailed', async () => {
  mail.faults.greeting = { code: 421, text: 'Not now' }
  const [ended, revoked] = [await newVoucher(), await newVoucher()]
  for (const id of [ended, revoked]) {
    expect((await send(id)).status).toBe(202)
    await expect.poll(async () => (await messagesOf(id))[0]?.attempts).toBeGreaterThan(0)
  }
  await app.db.query(`update vouchers set expires_at = now() - interval '1 second' where $1 like '%' || id`, [ended])
  await app.db.query(`update vouchers set status = 'revoked', revoked_at = now() where $1 like '%' || id`, [revoked])

  await expect.poll(stateOf(ended)).toBe('expired')
  await expect.poll(stateOf(revoked)).toBe('cancelled')
  expect(mail.received).toEqual([])
})

test('a voucher that is revoked while the mail server is slow to greet is not mailed', async () => {
  const { promise, resolve: greet } = Promise.withResolvers<void>()
  mail.greetsAfter = promise
  const id = await newVoucher()
  const before = mail.connections()
  await send(id, { email: 'langsam@example.org' })
  await expect.poll(() => mail.connections()).toBe(before + 1)
  await app.db.query(`update vouchers set status = 'revoked', revoked_at = now() where $1 like '%' || id`, [id])
  greet()

  await expect.poll(stateOf(id)).toBe('cancelled')
  expect(mail.received).toEqual([])
})

test('a creation that makes nothing cancels its message and erases the address; one that a worker settles is mailed once', async () => {
  await simulator.fault('forbidden')
  const refused = await create({ message: { email: guest }, name: 'refused' })
  const [cancelled] = (await stored()).slice(-1)
  await simulator.fault('created-then-reset')
  const lost = await create({ message: { email: guest }, name: 'lost' })
  const [received] = await arrived(1)

  expect([refused.headers['voucher-outcome'], lost.headers['voucher-outcome']]).toEqual(['none', 'unknown'])
  expect(cancelled).toEqual({ state: 'cancelled', email: null, answer: null })
  const [made] = (await simulator.vouchers()).filter(({ name }) => name.endsWith('_lost'))
  expect(received?.parsed.text).toContain(`${made?.code.slice(0, 5)}-${made?.code.slice(5)}`)
  await expect.poll(async () => (await stored()).at(-1)).toMatchObject({ state: 'accepted' })
  expect(mail.received).toHaveLength(1)
})

test('a repeat with the same Idempotency-Key sends no second message', async () => {
  const again = { method: 'POST', session, headers: { 'idempotency-key': 'once' } }
  const body = JSON.stringify({ site_id: site, name: 'once', message: { email: guest } })
  const answers = [
    await app.call('/api/v2/vouchers', { ...again, body }),
    await app.call('/api/v2/vouchers', { ...again, body }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([201, 201])
  expect(await messagesOf(answers[0]?.json().id)).toHaveLength(1)
})

test('the hash of a creation with an address needs the encryption key, and repeats find it by every hash', async () => {
  const contents = { site_id: site, name: 'hashed', message: { email: 'hash@example.org' } }
  const repeat = (body: object = contents) =>
    app.call('/api/v2/vouchers', {
      method: 'POST',
      session,
      headers: { 'idempotency-key': 'hashed' },
      body: JSON.stringify(body),
    })
  const first = await repeat()
  expect(first.status).toBe(201)
  const where = `where idempotency_key = 'hashed'`
  const [row] = (await app.db.query(`select id, request_hash from creations ${where}`)).rows
  const plain = hashOf(contents)
  const erased = keyHashes(testKeyring, [{ id: row?.id, requestHash: row?.request_hash }])
  const store = (hash: Buffer | undefined, key: string | null) =>
    app.db.query(`update creations set request_hash = $1, request_hash_key = $2 ${where}`, [hash, key])

  expect(row?.request_hash.equals(plain)).toBe(false)
  for (const stored of [() => undefined, () => store(plain, null), () => store(erased.hashes[0], erased.keyId)]) {
    await stored()
    expect((await repeat()).json().id).toBe(first.json().id)
    expect((await repeat({ ...contents, message: { email: 'other@example.org' } })).status).toBe(422)
  }
})

test('one address gets ten messages a day, in whatever form it is written', async () => {
  const id = await newVoucher()
  const answers = []
  // The fourth one has a letter of full width.
  const forms = ['viel@bücher.example', 'Viel@bücher.example', 'viel@xn--bcher-kva.example', 'viel@bücher.ｅxample']
  for (let i = 0; i < 11; i++) answers.push(await send(id, { email: forms[i % forms.length] }))

  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(202), 429])
  expect(answers[10]?.json()).toMatchObject({ error: 'daily_limit_reached' })
  const created = await create({ message: { email: 'viel@bücher.example' } })
  expect([created.status, created.headers['voucher-outcome']]).toEqual([429, 'none'])
})

test.each(['a@b@c', 'a b@c.de', 'a@b.de\r\nBcc: x@y.de', 'a@b.de, c@d.de', '<a@b.de>', 'a', ''])(
  '%j is no address',
  async (email) => {
    expect((await create({ message: { email } })).status).toBe(400)
  },
)

test('without a mail server, nothing is created and nothing is sent', async () => {
  const bare = await startApp()
  const siteThere = await seedControlledSite(bare.db, simulator)
  const { key: there } = await seedKey(bare.db, { scope: 'write' })
  const id = `${siteThere}-${await seedVoucher(bare.db, siteThere)}`
  const post = (path: string, body: object) =>
    bare.call(`/api/v2${path}`, { method: 'POST', key: there, body: JSON.stringify(body) })
  const answers = [
    await post('/vouchers', { site_id: siteThere, name: 'x', message: { email: guest } }),
    await post(`/vouchers/${id}/messages`, { email: guest }),
  ]
  const rejected = [409, 'mail_not_set_up']

  expect(answers.map((answer) => [answer.status, answer.json().error])).toEqual(Array(2).fill(rejected))
  expect((await post('/vouchers', { site_id: siteThere, name: 'y' })).status).toBe(201) // from now on, the site is known
  await setMailServer(bare.context, testActor, { host: '127.0.0.1', port: mail.port, security: 'none' })
  await setMailSender(bare.context, testActor, await seedSite(bare.db), sender) // of another site
  const third = await post('/vouchers', { site_id: siteThere, name: 'x', message: { email: guest } })
  expect([third.status, third.json().error]).toEqual(rejected)
  expect((await bare.db.query('select from creations')).rowCount).toBe(1)
  await setMailSender(bare.context, testActor, siteThere, sender)
  expect((await post('/vouchers', { site_id: siteThere, name: 'x', message: { email: guest } })).status).toBe(201)
})

test('a day after the outcome, only the codes of an answer are left', async () => {
  mail.faults.to = { code: 550, text: '5.1.1 Frau Quastenflosser has moved' }
  const id = await newVoucher()
  await send(id, { email: 'umzug@example.org' })
  await expect.poll(stateOf(id)).toBe('rejected')
  const [before] = await messagesOf(id)
  await app.db.query(`update messages set settled_at = now() - interval '24 hours' where state = 'rejected'`)
  await eraseOldAddresses(app.db, 1_000)

  expect(before.answer).toBe('550 5.1.1 Frau Quastenflosser has moved')
  expect(await messagesOf(id)).toMatchObject([{ state: 'rejected', answer: '550 5.1.1' }])
  expect(await findText(app.db, 'Quastenflosser')).toEqual([])
})

test('the address is erased a day after the outcome', async () => {
  const id = await newVoucher()
  await send(id, { email: 'einmal@example.org' })
  await expect.poll(stateOf(id)).toBe('accepted')
  const age = (interval: string) =>
    app.db.query(`update messages set settled_at = now() - interval '${interval}' where state = 'accepted'`)
  await age('23 hours')
  expect(await eraseOldAddresses(app.db, 1_000)).toBe(0)
  await age('24 hours')

  expect(await eraseOldAddresses(app.db, 1_000)).toBeGreaterThan(0)
  expect(await messagesOf(id)).toMatchObject([{ state: 'accepted', email: null }])
  expect(await findText(app.db, 'einmal@example.org')).toEqual([])
})
