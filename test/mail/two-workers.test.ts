import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { takeMessages } from '#domain/mailing/send-messages.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { setUpMail } from '#test/mail.ts'
import { report, size } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const app = await startApp()
const mail = await setUpMail(app)
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

const create = (number: number) =>
  app.call('/api/v2/vouchers', {
    method: 'POST',
    key,
    body: JSON.stringify({ site_id: site, name: `Gast ${number}`, message: { email: `gast-${number}@example.org` } }),
  })
const stateOf = async () =>
  (await app.db.query('select state, attempts, failure from messages order by id desc limit 1')).rows[0]
const endLease = () =>
  app.db.query(`update messages set next_attempt_at = now() - interval '1 second' where state = 'waiting'`)
const notStopping = new AbortController().signal
const take = async () => {
  const [message] = await takeMessages(app.context, { limit: 1 })
  if (!message) throw new Error('no message is due')
  return message
}

test('an attempt that begins after its lease was taken over sends nothing', async () => {
  await create(1)
  const first = await take()
  await endLease() // as if the process had been frozen
  const second = await take()
  await Promise.all([second.send(notStopping), first.send(notStopping)])

  expect(mail.received).toHaveLength(1)
  expect(await stateOf()).toEqual({ state: 'accepted', attempts: 2, failure: null })
})

test('an accepted message whose attempt outlived its lease is accepted, and later attempts do not change that', async () => {
  mail.received.length = 0
  mail.waitsMs = 1_500
  await create(2)
  const first = (await take()).send(notStopping)
  await expect
    .poll(
      async () =>
        (await app.db.query('select from messages where id_host is not null and state = $1', ['waiting'])).rowCount,
    )
    .toBe(1)
  await endLease()
  const second = await take()
  await first
  expect(await stateOf()).toMatchObject({ state: 'accepted' })
  mail.waitsMs = 0
  await second.send(notStopping)

  expect(mail.received).toHaveLength(1)
  expect(await stateOf()).toEqual({ state: 'accepted', attempts: 2, failure: null })
})

test('two workers: each message is sent once', async () => {
  mail.received.length = 0
  mail.waitsMs = 100
  const messages = size(40, 400)
  const workers = await Promise.all(range(2).map(() => startService(app.db.url, {}, 'worker')))
  await withClients(8, range(messages), async (number) => {
    expect((await create(number + 10)).status).toBe(201)
  })
  await expect.poll(() => mail.received.length, { timeout: 120_000 }).toBe(messages)
  await pause(3_000) // longer than until the next sweep
  await Promise.all(workers.map((worker) => worker.stop()))

  const addresses = mail.received.map(({ to }) => to.join())
  report('two workers: messages, mails', [messages, addresses.length])
  expect(new Set(addresses).size).toBe(messages)
  expect(addresses).toHaveLength(messages)
})
