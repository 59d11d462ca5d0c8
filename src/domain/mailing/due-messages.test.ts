import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { takeMessages } from './send-messages.ts'

/** No worker runs here: the tests take the messages that are due. */
const app = await startApp()
const mail = await setUpMail(app)
const site = await seedSite(app.db)
const { session } = await seedPerson(app.db)
const notStopping = new AbortController().signal

beforeEach(async () => {
  mail.received.length = 0
  await app.db.query('delete from messages')
})

/** The id of a voucher whose message is due. */
async function requestMail(by = session, email = 'gast@example.org'): Promise<string> {
  const id = await seedVoucher(app.db, site)
  const body = JSON.stringify({ email })
  const { status } = await app.call(`/api/v2/vouchers/${site}-${id}/messages`, { method: 'POST', session: by, body })
  expect(status).toBe(202)
  return id
}

const take = () => takeMessages(app.context, { limit: 10 })
const sendDue = async () => {
  for (const message of await take()) await message.send(notStopping)
}
const state = async () => (await app.db.query<{ state: string }>('select state from messages')).rows[0]?.state

test('nobody takes a message that another process has taken, and an attempt renews its lease', async () => {
  await requestMail()
  const [message] = await take()
  expect(await take()).toEqual([])
  await app.db.query(`update messages set next_attempt_at = now() + interval '1 second'`) // the lease is nearly over
  await message?.send(notStopping)
  const { rows } = await app.db.query(
    `select state, next_attempt_at > now() + '60 seconds' as "isRenewed" from messages`,
  )

  expect(rows).toEqual([{ state: 'accepted', isRenewed: true }])
})

test.each([
  ['waits', `now() - interval '1 second'`, null, 'cancelled'],
  ['was done', `now() - interval '1 second'`, 'revoked', 'cancelled'],
  ['did not happen, because the voucher was used', `now() - interval '1 second'`, 'kept', 'accepted'],
  ['is planned for later', `now() + interval '1 day'`, null, 'accepted'],
])('the withdrawal of a voucher that the controller still has %s', async (_, due, outcome, end) => {
  const id = await requestMail()
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at, outcome, settled_at)
     values ($1, gen_random_uuid(), $2, 'request', ${due}, now(), $3::text, case when $3::text is not null then now() end)`,
    [site, id, outcome],
  )
  await sendDue()

  expect([await state(), mail.received.length]).toEqual([end, end === 'accepted' ? 1 : 0])
})

test('a voucher whose withdrawal becomes due while the mail server is slow to greet is not mailed', async () => {
  const { promise, resolve: greet } = Promise.withResolvers<void>()
  mail.greetsAfter = promise
  const id = await requestMail()
  const [message] = await take()
  const before = mail.connections()
  const sent = message?.send(notStopping)
  await expect.poll(() => mail.connections()).toBe(before + 1)
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     values ($1, gen_random_uuid(), $2, 'request', now(), now())`,
    [site, id],
  )
  greet()
  await sent

  expect([await state(), mail.received.length]).toEqual(['cancelled', 0])
})

test('a message that nobody accepted for a day is not sent any more', async () => {
  await requestMail()
  await app.db.query(`update messages set send_until = now() - interval '1 second'`)
  await sendDue()

  expect([await state(), mail.received.length]).toEqual(['expired', 0])
})

test('a message has a day from the moment in which it is due', async () => {
  await requestMail()
  const { rows } = await app.db.query(
    `select send_until - created_at between '23:59:59' and '24:00:01' as "isDay" from messages`,
  )

  expect(rows).toEqual([{ isDay: true }])
})

test('while the service is held, no message is sent', async () => {
  await requestMail()
  await app.db.query(`insert into hold (reason) values ('command')`)
  await sendDue()
  const held = mail.received.length
  await app.db.query('delete from hold')
  await sendDue()

  expect([held, mail.received.length]).toEqual([0, 1])
})

test('the pauses between attempts grow to half an hour', async () => {
  await requestMail()
  mail.faults.to = { code: 451, text: 'Try again later' }
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 9; attempt++) {
    await app.db.query(`update messages set next_attempt_at = now() - interval '1 second'`)
    for (const message of await takeMessages({ ...app.context, retryScale: 1 }, { limit: 1 }))
      await message.send(notStopping)
    const { rows } = await app.db.query<{ seconds: number }>(
      'select extract(epoch from next_attempt_at - now())::float as seconds from messages',
    )
    pauses.push(rows[0]?.seconds ?? Number.NaN)
  }
  delete mail.faults.to

  // Each pause is varied by a fifth.
  const usual = [5, 15, 60, 120, 300, 600, 1_200, 1_800, 1_800]
  expect(
    pauses.map((pause, i) => pause / (usual[i] as number)).filter((ratio) => !(ratio > 0.75 && ratio < 1.25)),
  ).toEqual([])
})

test('the messages of one person leave places to others, and people take turns', async () => {
  const other = await seedPerson(app.db, { email: 'other@example.org' })
  for (let i = 0; i < 5; i++) await requestMail(session, `viele-${i}@example.org`)
  for (let i = 0; i < 2; i++) await requestMail(other.session, `wenige-${i}@example.org`)
  const { rows } = await app.db.query<{ id: string; isOther: boolean }>(
    `select id, staff_id = $1 as "isOther" from messages order by next_attempt_at, id`,
    [other.id],
  )
  const others = rows.filter(({ isOther }) => isOther).map(({ id }) => id)
  const many = rows.filter(({ isOther }) => !isOther).map(({ id }) => id)
  const takeSome = async (taking: Parameters<typeof takeMessages>[1]) =>
    (await takeMessages(app.context, taking)).map(({ id }) => id)

  expect(new Set(await takeSome({ limit: 2, mostOfOneMaker: 3 }))).toEqual(new Set([many[0], others[0]]))
  expect(await takeSome({ limit: 1, running: many.slice(0, 1), mostOfOneMaker: 3 })).toEqual([others[1]])
  expect(await takeSome({ limit: 8, running: many.slice(0, 1), mostOfOneMaker: 3 })).toEqual(many.slice(1, 3))
  expect(await takeSome({ limit: 8, running: many.slice(0, 3), mostOfOneMaker: 3 })).toEqual([])
})
