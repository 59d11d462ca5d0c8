import PostalMime from 'postal-mime'
import { beforeEach, expect, test } from 'vitest'
import { takeMessages } from '#domain/mailing/send-messages.ts'
import { settleForgottenPasswords } from '#domain/people/forgotten-password.ts'
import { removePerson } from '#domain/people/remove-person.ts'
import { updateCredentialsBy } from '#domain/people/staff.queries.ts'
import { insertSetting } from '#domain/settings/settings.queries.ts'
import { startApp } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedKey, seedPerson } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { startMailServer } from '#test/network/mail-server.ts'

const publicUrl = 'https://desk.example'
const app = await startApp({ PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_RETRY_SCALE: '0.01' })
const { db } = app
const mail = await setUpMail(app)
const { session } = await seedPerson(db, { role: 'admin' })
/** What the worker does every second. */
const work = async () => {
  await settleForgottenPasswords(app.context)
  for (const { send } of await takeMessages(app.context, { limit: 8 })) await send(new AbortController().signal)
}
const browser = {
  origin: publicUrl,
  'content-type': 'application/json',
  'x-forwarded-proto': 'https',
  host: 'desk.example',
  'accept-language': 'de',
}
const password = 'four random words'

beforeEach(async () => {
  mail.received.length = 0
  for (const step of Object.keys(mail.faults)) delete mail.faults[step as keyof typeof mail.faults]
  await db.query('delete from rate_limits')
})

const call = (method: string, path: string, body?: object, headers: object = {}) =>
  app.call(`/api/v2${path}`, {
    method,
    headers: { ...browser, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
const asAdmin = { cookie: `__Host-voucher-session=${session}` }
let people = 0
const invite = async (change: object = {}) => {
  const email = `lea.${++people}@adler.example`
  const body = { name: 'Lea', email, role: 'desk', all_sites: true, language: 'de', send_email: true, ...change }
  const answer = await call('POST', '/staff', body, asAdmin)
  return { email, answer, person: answer.json() }
}
const memberOf = async (id: string) => (await call('GET', `/staff/${id}`, undefined, asAdmin)).json()
const messageOf = async (id: string) => {
  await work()
  return (await memberOf(id)).link_message
}
const arrived = async (count: number) => {
  await expect
    .poll(async () => {
      await work()
      return mail.received.length
    })
    .toBe(count)
  const parsed = await Promise.all(
    mail.received.map(async ({ message, to }) => ({ ...(await PostalMime.parse(message)), to })),
  )
  return parsed.map((each) => ({ ...each, token: /#([0-9A-Za-z]{43})\s/.exec(each.text ?? '')?.[1] as string }))
}
const redeem = (token: string) => call('POST', '/password-links', { token, new_password: password })
/** Somebody who has set a password with the invitation. */
const member = async (change: Parameters<typeof seedPerson>[1] = {}) => {
  const seeded = await seedPerson(db, { password, email: `mia.${++people}@adler.example`, ...change })
  await db.query('delete from password_links where staff_id = $1', [seeded.id])
  return seeded
}
const forgotten = (email: string, headers: object = {}) => call('POST', '/password-links/by-email', { email }, headers)
const storedOf = async (email: string) =>
  (
    await db.query(
      `select m.state, m.email is null as "noAddress", m.link_token is null as "noToken", m.asked_from
                     from messages m join staff st on st.id = m.recipient_id where st.email = $1`,
      [email],
    )
  ).rows
const settled = () =>
  expect
    .poll(async () => {
      await work()
      return (await db.query(`select from messages where state in ('prepared', 'waiting')`)).rowCount
    })
    .toBe(0)

test('an invitation by e-mail: a link at PUBLIC_URL that works once, in the language of the person; the token is erased', async () => {
  const { answer, email, person } = await invite()
  const [received] = await arrived(1)

  expect(answer.status).toBe(201)
  expect(received?.to).toEqual([email])
  expect(received?.subject).toContain('Ihr Konto')
  expect(received?.text).toContain(`${publicUrl}/password#${received?.token}`)
  expect(received?.html).toContain(`<a href="${publicUrl}/password#${received?.token}">`)
  expect(received?.html).not.toContain('<img')
  expect(person.password_link.url).toBe(`${publicUrl}/password#${received?.token}`)
  expect((await messageOf(person.id)).state).toBe('accepted')
  expect((await memberOf(person.id)).link_message).toMatchObject({ kind: 'invitation', failure: null })
  expect(await storedOf(email)).toMatchObject([{ state: 'accepted', noAddress: false, noToken: true }])
  expect(await findText(db, person.password_link.token)).toEqual([])
  expect([(await redeem(received?.token as string)).status, (await redeem(received?.token as string)).status]).toEqual([
    200, 403,
  ])
})

test('451, then accepted: the same link and the same Message-ID. 550: rejected once, and the answer does not show the link', async () => {
  mail.faults.data = 'cut'
  const first = await invite({ language: null })
  expect((await messageOf(first.person.id)).failure).toBe('connection_lost')
  const { id, host } = (await db.query(`select id, id_host as host from messages where state = 'waiting'`))
    .rows[0] as never
  delete mail.faults.data
  const [received] = await arrived(1)
  expect([received?.token, received?.messageId]).toEqual([first.person.password_link.token, `<${id}@${host}>`])

  const { person } = await invite({ send_email: false })
  expect(person.link_message).toBeNull()
  mail.faults.to = { code: 550, text: 'No such mailbox' }
  const again = await call('POST', `/staff/${person.id}/password-link?send_email=true`, undefined, asAdmin)
  expect((await messageOf(person.id)).state).toBe('rejected')
  expect((await memberOf(person.id)).link_message.answer).toContain('No such mailbox')
  expect(again.status).toBe(201)
  expect(await storedOf(person.email)).toMatchObject([{ state: 'rejected', noToken: true }])
})

test('a link that was replaced while its message waited is never mailed', async () => {
  mail.faults.greeting = { code: 421, text: 'Not now' }
  const { person } = await invite()
  expect((await messageOf(person.id)).failure).not.toBeNull()
  const { token } = (await call('POST', `/staff/${person.id}/password-link?send_email=true`, undefined, asAdmin)).json()
  delete mail.faults.greeting
  await settled()

  expect((await arrived(1)).map((each) => each.token)).toEqual([token])
  expect((await storedOf(person.email)).map(({ state }) => state).toSorted()).toEqual(['accepted', 'cancelled'])
})

test('a removed person leaves no address and no token in messages', async () => {
  mail.faults.greeting = { code: 421, text: 'Not now' }
  const { person, email } = await invite()
  await removePerson(db, { kind: 'command', name: 'test' }, { id: person.id })

  const { rows } = await db.query('select state, email, link_token, answer from messages where recipient_id = $1', [
    person.id,
  ])
  expect(rows).toEqual([{ state: 'cancelled', email: null, link_token: null, answer: null }])
  expect(mail.received).toEqual([])
  expect(email).toContain('@')
})

test('a forgotten password: the link arrives at the stored address, works once, and ends the old sessions', async () => {
  const person = await member()
  const answer = await forgotten(person.email.toUpperCase())
  const [received] = await arrived(1)

  expect([answer.status, answer.text]).toEqual([204, ''])
  expect(received?.to).toEqual([person.email])
  expect(received?.subject).toContain('Neues Passwort')
  const { rows } = await db.query(
    `select extract(epoch from expires_at - now())::float as seconds from password_links where staff_id = $1`,
    [person.id],
  )
  expect(rows[0]?.seconds).toBeLessThanOrEqual(3_600)
  expect((await redeem(received?.token as string)).status).toBe(200)
  expect((await redeem(received?.token as string)).status).toBe(403)
  const old = await app.call('/api/v2/me', {
    headers: { ...browser, cookie: `__Host-voucher-session=${person.session}` },
  })
  expect(old.status).toBe(401)
  const { rows: audit } = await db.query(
    `select actor_kind, host(address) as address from audit where action = 'staff.password_forgotten' and target_id = $1`,
    [person.id],
  )
  expect(audit).toEqual([{ actor_kind: 'service', address: '127.0.0.1' }])
})

test('known and unknown addresses get the same answer, by the same statements; of unknown ones nothing is left', async () => {
  const known = await member()
  const invited = (await invite({ send_email: false })).email
  const gone = await member()
  await db.query('update staff set active = false where id = $1', [gone.id])
  const addresses = [known.email, 'niemand@adler.example', invited, gone.email]
  const answers = []
  const statements: string[][] = []
  const { db: used } = app.context
  const query = used.query.bind(used)
  for (const email of addresses) {
    const seen: string[] = []
    statements.push(seen)
    used.query = (sql: never, values: never) => {
      seen.push(String(sql))
      return query(sql, values)
    }
    answers.push(await forgotten(email))
    used.query = query
  }
  await settled()

  const plain = answers.map(({ status, text, headers: { date: _, 'x-request-id': __, ...headers } }) => ({
    status,
    text,
    headers,
  }))
  for (const each of plain) expect(each).toEqual(plain[0])
  expect(statements[0]?.length).toBeGreaterThan(2)
  for (const each of statements) expect(each).toEqual(statements[0])
  expect(statements.flat().filter((sql) => /\bstaff\b/.test(sql))).toEqual([])
  expect((await arrived(1))[0]?.to).toEqual([known.email])
  expect(await findText(db, 'niemand@adler.example')).toEqual([])
  expect((await db.query('select from messages where recipient_id is null')).rowCount).toBe(0)
})

test('the Host header does not change the address of the link', async () => {
  const person = await member()
  await forgotten(person.email, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
  const [received] = await arrived(1)

  expect(received?.text).toContain(`${publicUrl}/password#`)
  expect(`${received?.text}${received?.html}`).not.toContain('evil')
})

test('one address gets five requests in 15 minutes, and five links a day', async () => {
  const { email } = await member()
  const answers = []
  for (let i = 0; i < 6; i++) answers.push((await forgotten(email)).status)
  await settled()
  await db.query('delete from rate_limits')
  await forgotten(email)
  await settled()

  expect(answers).toEqual([204, 204, 204, 204, 204, 429])
  expect(await storedOf(email)).toHaveLength(5)
})

test('one client gets 20 requests in 15 minutes, whatever the addresses', async () => {
  const answers = []
  for (let i = 0; i < 21; i++) answers.push((await forgotten(`x${i}@adler.example`)).status)

  expect(answers).toEqual([...Array(20).fill(204), 429])
})

test('a request ends no link that an administrator made, and does not forget which manager had access', async () => {
  const [person, manager] = [await member(), await member({ role: 'manager' })]
  const { token } = (await call('POST', `/staff/${person.id}/password-link`, undefined, asAdmin)).json()
  await forgotten(person.email)
  await settled()
  expect(mail.received).toEqual([])
  expect((await redeem(token)).status).toBe(200)

  await updateCredentialsBy(db, person.id, manager.id)
  await forgotten(person.email)
  const [received] = await arrived(1)
  expect((await redeem(received?.token as string)).status).toBe(200)
  const { rows } = await db.query('select credentials_by from staff where id = $1', [person.id])
  expect(rows).toEqual([{ credentials_by: manager.id }])
})

test('without password sign-in, nobody gets a link; a request of an hour ago gets none', async () => {
  const quiet = await startApp({ PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1' })
  await setUpMail(quiet)
  const person = await seedPerson(quiet.db, { password })
  await quiet.db.query('delete from password_links')
  const ask = () =>
    quiet.call('/api/v2/password-links/by-email', {
      method: 'POST',
      headers: browser,
      body: JSON.stringify({ email: person.email }),
    })
  const { db: there, keyring } = quiet.context
  await insertSetting(there, 'password_sign_in', false)
  expect((await ask()).status).toBe(204)
  expect(await settleForgottenPasswords({ db: there, keyring, provider: { name: 'Entra ID' } })).toBe(1)
  expect((await there.query('select from messages')).rowCount).toBe(0)

  await insertSetting(there, 'password_sign_in', true)
  await ask()
  await there.query(`update messages set created_at = now() - interval '61 minutes'`)
  expect(await settleForgottenPasswords({ db: there, keyring })).toBe(1)
  expect((await there.query('select from messages')).rowCount).toBe(0)
  expect((await there.query('select from password_links')).rowCount).toBe(0)
})

test.each([{ PUBLIC_URL: publicUrl }, {}])(
  'without a mail server or PUBLIC_URL nothing is sent, and nobody is added: %j',
  async (env) => {
    const bare = await startApp({ TRUSTED_PROXIES: '127.0.0.1', ...env })
    if (!('PUBLIC_URL' in env)) await setUpMail(bare)
    const admin = await seedPerson(bare.db, { role: 'admin' })
    const post = (path: string, body: object) =>
      bare.call(`/api/v2${path}`, {
        method: 'POST',
        headers: { ...browser, cookie: `__Host-voucher-session=${admin.session}` },
        body: JSON.stringify(body),
      })
    const body = { name: 'Lea', email: 'lea@adler.example', role: 'admin', send_email: true }
    const answers = [await post('/staff', body), await post('/password-links/by-email', { email: admin.email })]

    expect(answers.map((answer) => [answer.status, answer.json().error])).toEqual(
      Array(2).fill([409, 'link_mail_not_set_up']),
    )
    expect((await bare.call('/api/v2/session')).json().link_mail).toBe(false)
    expect((await bare.db.query('select from staff')).rowCount).toBe(1)
  },
)

test('an API key cannot send the links of administrators to another mail server', async () => {
  const { key } = await seedKey(db, { scope: 'manage' })
  const other = await startMailServer({ security: 'none' })
  const body = JSON.stringify({ host: '127.0.0.1', port: other.port, security: 'none' })
  const changed = await app.call('/api/v2/settings/mail', { method: 'PATCH', key, body })
  const { email } = await member({ role: 'admin' })
  await forgotten(email)
  await settled()
  const removed = await app.call('/api/v2/settings/mail', { method: 'DELETE', key })

  expect(other.received).toEqual([])
  expect(mail.received).toMatchObject([{ to: [email] }])
  for (const answer of [changed, removed]) expect([answer.status, answer.json().error]).toEqual([403, 'people_only'])
})
