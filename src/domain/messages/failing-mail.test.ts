import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedSite } from '#test/data/seed.ts'
import type { MessageFailure } from './message.ts'
import { findFailingMail, takeDueMessages, updateMessagePostponed, updateMessageSettled } from './messages.queries.ts'

const { db } = await startApp()
const site = await seedSite(db)

beforeEach(async () => {
  await db.query('delete from messages')
})

async function addMessage(): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into messages (id, site_id, voucher_id, email, language, state, next_attempt_at, send_until)
     values ($1, $2, gen_random_uuid(), 'v1.test.' || repeat('x', 40), 'de', 'waiting', now(), now() + interval '1 day') returning id`,
    [randomUUID(), site],
  )
  return rows[0]?.id as string
}

/** One attempt for each of these messages. */
async function attempt(ids: string[], outcome: 'accepted' | MessageFailure, answer: string | null = null) {
  // Times are rounded to milliseconds, so `now()` could be stored as a moment that is still to come.
  await db.query(`update messages set next_attempt_at = now() - interval '1 second' where id = any ($1)`, [ids])
  for (const message of await takeDueMessages(db, { limit: 100 }))
    if (!ids.includes(message.id)) continue
    else if (outcome === 'accepted') await updateMessageSettled(db, message, outcome, answer)
    else await updateMessagePostponed(db, message, { pauseMs: 60_000, failure: outcome, answer })
}

/** Time passes: everything so far happened that much earlier. */
async function pass(interval: string) {
  await db.query(
    `update messages set failing_since = failing_since - $1::interval, settled_at = settled_at - $1::interval`,
    [interval],
  )
}

test('after five minutes without an accepted message, it says since when, why, and how many messages wait', async () => {
  const first = await addMessage()
  await attempt([first], 'port_closed')
  await pass('4 minutes 50 seconds')
  await attempt([first], 'credentials_refused', '535 no')
  const early = await findFailingMail(db)
  await pass('10 seconds')
  await addMessage()

  expect(early).toBeUndefined()
  expect(await findFailingMail(db)).toEqual({
    since: expect.any(Date),
    seconds: expect.closeTo(300, -1),
    failure: 'credentials_refused',
    answer: '535 no',
    waiting: 2,
  })
})

test('one accepted message ends it, and failures after it are counted from their own beginning', async () => {
  const [first, second] = [await addMessage(), await addMessage()]
  await attempt([first, second], 'no_answer')
  await pass('1 hour')
  const before = await findFailingMail(db)
  await attempt([first], 'accepted')
  const after = await findFailingMail(db)
  await pass('3 minutes')
  await attempt([second], 'no_answer')
  const again = await findFailingMail(db)
  await pass('6 minutes')

  expect([before?.waiting, after, again]).toEqual([2, undefined, undefined])
  expect(await findFailingMail(db)).toMatchObject({ seconds: expect.closeTo(360, -1), waiting: 1 })
})

test('messages that are put off while others are accepted are no failure of the server', async () => {
  const putOff = [await addMessage(), await addMessage()]
  for (let i = 0; i < 10; i++) {
    await attempt(putOff, 'not_now', '451 greylisted')
    await attempt([await addMessage()], 'accepted')
    await pass('4 minutes')
  }

  expect(await findFailingMail(db)).toBeUndefined()
})

test('a single message that is put off counts after an hour, two after five minutes', async () => {
  const [first, second] = [await addMessage(), await addMessage()]
  await attempt([first], 'not_now')
  await pass('59 minutes')
  const alone = await findFailingMail(db)
  await attempt([second], 'not_now')
  const both = await findFailingMail(db)
  await db.query('delete from messages where id = $1', [second])
  await pass('1 minute')

  expect(alone).toBeUndefined()
  expect(both?.seconds).toBeCloseTo(59 * 60, -1)
  expect((await findFailingMail(db))?.seconds).toBeCloseTo(60 * 60, -1)
})

test('a night without messages is not a failure, and neither are messages that no worker has tried', async () => {
  await attempt([await addMessage()], 'accepted')
  await pass('10 hours')
  const night = await findFailingMail(db)
  await addMessage()
  await db.query(`update messages set created_at = now() - interval '1 hour', next_attempt_at = created_at`)

  expect([night, await findFailingMail(db)]).toEqual([undefined, undefined])
})

test('when nothing waits any more, nothing fails', async () => {
  const message = await addMessage()
  await attempt([message], 'no_answer')
  await pass('1 hour')
  const before = await findFailingMail(db)
  await db.query(`update messages set state = 'expired', settled_at = now()`)

  expect(before?.waiting).toBe(1)
  expect(await findFailingMail(db)).toBeUndefined()
})
