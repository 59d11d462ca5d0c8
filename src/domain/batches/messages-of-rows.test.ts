import { beforeEach, expect, test } from 'vitest'
import { eraseVouchers } from '#domain/guests/erase-vouchers.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { setRecorded } from '#test/batches-without-worker.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { setUpMail } from '#test/mail.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { runBatch } from '../creating/run-batch.ts'
import { hashOf } from '../idempotency.ts'
import { takeMessages } from '../mailing/send-messages.ts'

const app = await startApp({ WEBHOOK_RETRY_SCALE: '0.01' })
const { db, context } = app
const mail = await setUpMail(app)
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator, { name: 'Adler' })
const { session } = await seedPerson(db, { role: 'desk' })
await db.query(`update sites set guest_languages = '{de,en}'`)

const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  app.call(`/api/v2${path}`, { method: 'POST', session, headers, body: JSON.stringify(body) })
const create = (rows: object[], headers?: Record<string, string>) =>
  post('/batches', { site_id: site, expire_minutes: 60, rows }, headers)
const row = (name: string, email?: string) => ({ name, ...(email && { message: { email } }) })
const rowsOf = async (id: string) => (await app.call(`/api/v2/batches/${id}/rows`, { session })).json().rows
const statesOf = async (id: string) =>
  (await rowsOf(id)).map(({ outcome, message_state }: any) => [outcome, message_state])
const messages = async () =>
  (await db.query('select state, email, language from messages order by id')).rows as Record<string, string | null>[]
const counters = async () =>
  (
    await db.query(`select split_part(scope, ':', 1) as kind, vouchers from issuing_counters order by scope, day`)
  ).rows.map(({ kind, vouchers }) => [kind, vouchers])
/** Sends what is due, as the worker does. */
const sendDue = async () => {
  for (const { send } of await takeMessages(context, { limit: 100 })) await send(new AbortController().signal)
}

beforeEach(async () => {
  mail.received.length = 0
  await db.query('delete from issuing_counters')
  await db.query('delete from messages')
})

test('each row that is made mails its code once, in the language of the site or of the row', async () => {
  const answer = await create([
    row('Huber', 'huber@example.org'),
    row('Brandt'),
    { name: 'Moretti', message: { email: 'moretti@example.org', language: 'it' } },
  ])
  const { id } = answer.json()
  const before = await messages()
  expect(await statesOf(id)).toEqual([
    ['waiting', 'prepared'],
    ['waiting', null],
    ['waiting', 'prepared'],
  ])
  await sendDue()
  expect(mail.received).toEqual([])
  await runBatch(context, itemOf(id))
  expect(await findText(db, 'huber@example', 'moretti@example')).toEqual([])
  await runBatch(context, itemOf(id))
  await sendDue()
  await sendDue()

  expect(answer.status).toBe(202)
  expect(before).toMatchObject([
    { state: 'prepared', language: 'de' },
    { state: 'prepared', language: 'it' },
  ])
  expect(await statesOf(id)).toEqual([
    ['made', 'accepted'],
    ['made', null],
    ['made', 'accepted'],
  ])
  expect(mail.received.map(({ to }) => to).toSorted()).toEqual([['huber@example.org'], ['moretti@example.org']])
  const codes = (await rowsOf(id)).map(({ formatted_code }: any) => formatted_code)
  const textTo = (address: string) => `${mail.received.find(({ to }) => to.includes(address))?.message}`
  expect(textTo('huber@example.org')).toContain(codes[0])
  expect(textTo('moretti@example.org')).toContain(codes[2])
  expect(await counters()).toEqual([
    ['mail-at', 2],
    ['mail-of', 2],
    ['mail-to', 1],
    ['mail-to', 1],
  ])
})

test('a row whose first attempt makes nothing mails after the next one', async () => {
  const { id } = (await create([row('Okafor', 'okafor@example.org')])).json()
  await simulator.fault('too-many', { on: 'create' })
  await runBatch(context, itemOf(id))
  expect([await statesOf(id), (await db.query('select state from creations order by id')).rows.at(-1)]).toEqual([
    [['waiting', 'prepared']],
    { state: 'rejected' },
  ])
  await runBatch(context, itemOf(id))
  await sendDue()

  expect(await statesOf(id)).toEqual([['made', 'accepted']])
  expect(mail.received).toHaveLength(1)
})

test('a row that fails cancels its message, erases the address and gives back its place in the limits; a retry mails nothing', async () => {
  const { id } = (await create([row('Kern', 'kern@example.org'), row('Yildiz', 'yildiz@example.org')])).json()
  await simulator.fault('refuse', { on: 'create' })
  await runBatch(context, itemOf(id))
  const cancelled = { state: 'cancelled', email: null }
  const made = { state: 'waiting', email: expect.any(String) }
  expect([await statesOf(id), await messages()]).toMatchObject([
    [
      ['failed', 'cancelled'],
      ['made', 'waiting'],
    ],
    [cancelled, made],
  ])
  expect(await counters()).toEqual(
    expect.arrayContaining([
      ['mail-at', 1],
      ['mail-of', 1],
      ['mail-to', 1],
      ['mail-to', 0],
    ]),
  )
  expect((await db.query('select from batch_rows where message_counters is not null')).rowCount).toBe(0)
  await post(`/batches/${id}/retry`)
  await runBatch(context, itemOf(id))
  await sendDue()

  expect(await statesOf(id)).toEqual([
    ['made', 'cancelled'],
    ['made', 'accepted'],
  ])
  expect(mail.received.map(({ to }) => to)).toEqual([['yildiz@example.org']])
  expect((await counters())[0]).toEqual(['mail-at', 1])
})

test('a cancelled batch and a revocation of its rows cancel the messages', async () => {
  const { id } = (await create([row('Kern', 'kern@example.org')])).json()
  const other = (await create([{ ...row('Yildiz', 'yildiz@example.org'), reference: 'R-1' }])).json()
  await post(`/batches/${id}/cancel`)
  await post('/revocations', { filter: { site_id: [site], reference: 'R-1' } })
  await runBatch(context, itemOf(other.id))
  await sendDue()

  expect([await statesOf(id), await statesOf(other.id)]).toEqual([
    [['cancelled', 'cancelled']],
    [['cancelled', 'cancelled']],
  ])
  expect(await messages()).toMatchObject(Array(2).fill({ state: 'cancelled', email: null }))
  expect(await counters()).toEqual([
    ['mail-at', 0],
    ['mail-of', 0],
    ['mail-to', 0],
    ['mail-to', 0],
  ])
  expect(mail.received).toEqual([])
})

test('a process that does not connect messages with creations, such as one of version 0.1.0, makes them due with the row', async () => {
  const { id } = (await create([row('Kern', 'kern@example.org')])).json()
  const { id: voucherId } = (await post('/vouchers', { site_id: site, name: 'Kern' })).json()
  await db.query(`update batch_rows set state = 'made', voucher_id = $2 where batch_id = $1`, [
    itemOf(id).id,
    itemOf(voucherId).id,
  ])
  await sendDue()

  expect(await statesOf(id)).toEqual([['made', 'accepted']])
})

test('a guest who is erased gets no message', async () => {
  const { id } = (await create([row('Kern', 'kern@example.org')])).json()
  await runBatch(context, itemOf(id))
  const { rows } = await db.query<{ id: string }>(
    `update vouchers set status = 'expired' where batch_id = $1 returning id`,
    [itemOf(id).id],
  )
  await db.transaction((tx) => eraseVouchers(tx, testKeyring, site, [rows[0]?.id as string]))
  await sendDue()

  expect(await messages()).toMatchObject([{ state: 'cancelled', email: null }])
  expect(mail.received).toEqual([])
})

test('one address gets ten messages a day, also in the rows of batches; a batch over the limit is refused whole', async () => {
  const ofOne = (count: number) => Array.from({ length: count }, (_, i) => row(`Zimmer ${i}`, 'Leitung@example.org'))
  const before = (await db.query('select from batches')).rowCount
  const answers = [await create(ofOne(11)), await create(ofOne(9)), await create(ofOne(2)), await create(ofOne(1))]

  expect(answers.map(({ status }) => status)).toEqual([429, 202, 429, 202])
  expect(answers[2]?.json()).toMatchObject({ error: 'daily_limit_reached', message: expect.stringContaining('10') })
  expect((await db.query('select from batches')).rowCount).toBe((before as number) + 2)
  expect((await counters()).map(([, count]) => count)).toEqual([10, 10, 10])
})

test('a person sends 1,000 messages a day, which may be in one batch', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => row(`Gast ${i}`, `gast${i}@example.org`))
  const answers = [await create(rows), await create([row('one', 'one@example.org')])]

  expect(answers.map(({ status }) => status)).toEqual([202, 429])
  expect(answers[1]?.json()).toMatchObject({ error: 'daily_limit_reached', message: expect.stringContaining('1') })
  expect(await messages()).toHaveLength(1_000)
  await post(`/batches/${answers[0]?.json().id}/cancel`)
  expect((await counters()).filter(([, count]) => count !== 0)).toEqual([])
})

test('a repeat with the same Idempotency-Key prepares no second message, and the stored hash does not depend on the plain address', async () => {
  const once = { 'idempotency-key': 'once' }
  const rows = [row('Kern', 'kern@example.org')]
  const answers = [
    await create(rows, once),
    await create(rows, once),
    await create([row('Kern', 'other@example.org')], once),
  ]

  expect(answers.map(({ status }) => status)).toEqual([202, 202, 422])
  expect(await messages()).toHaveLength(1)
  const { rows: stored } = await db.query(`select request_hash from batches where idempotency_key = 'once'`)
  expect(stored[0]?.request_hash).not.toEqual(hashOf({ site_id: site, expire_minutes: 60, rows }))
})

test.each([
  ['an address', { email: 'a@b@c' }, 'rows[1].message.email', 'bad_format'],
  ['a language', { email: 'a@example.org', language: 'xx' }, 'rows[1].message.language', 'not_one_of'],
  ['an unknown field', { email: 'a@example.org', to: 'b@example.org' }, 'rows[1].message.to', 'unknown_field'],
])('400: a row with %s that is wrong is named', async (_, message, field, code) => {
  const answer = await create([row('Huber', 'huber@example.org'), { name: 'Kern', message }])

  expect([answer.status, answer.json().errors]).toMatchObject([400, [{ field, code }]])
})

test('409: without a mail server, nothing is created', async () => {
  const bare = await startApp()
  const siteThere = await seedControlledSite(bare.db, simulator)
  const { key } = await seedKey(bare.db, { scope: 'write' })
  const body = JSON.stringify({ site_id: siteThere, rows: [row('Huber', 'huber@example.org')] })
  const answer = await bare.call('/api/v2/batches', { method: 'POST', key, body })

  expect([answer.status, answer.json().error]).toEqual([409, 'mail_not_set_up'])
  expect((await bare.db.query('select from batches')).rowCount).toBe(0)
})

test('the message is due in the commit that records the voucher, before the row is updated', async () => {
  const { id } = (await create([row('Kern', 'kern@example.org')])).json()
  await simulator.fault('created-then-reset', { on: 'create' })
  await runBatch(context, itemOf(id))
  const { rows } = await db.query<{ id: string }>('select id from creations where batch_id = $1', [itemOf(id).id])
  await setRecorded(db, site, rows[0]?.id as string)

  expect(await statesOf(id)).toEqual([['under_way', 'waiting']])
})

test('a voucher that the worker finds later is mailed once', async () => {
  const { id } = (await create([row('Lost', 'lost@example.org')])).json()
  await simulator.fault('created-then-reset', { on: 'create' })
  await runBatch(context, itemOf(id))
  expect(await statesOf(id)).toEqual([['under_way', 'prepared']])
  await startWorkerOf(app)

  await expect.poll(() => mail.received.length).toBe(1)
  await expect.poll(() => statesOf(id)).toEqual([['made', 'accepted']])
  expect(mail.received).toHaveLength(1)
})
