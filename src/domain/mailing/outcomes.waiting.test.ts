import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { removeMailServer, setMailServer } from '#domain/mail-server/mail-server.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp({ SETTLE_SECONDS: '5' })
const mail = await setUpMail(app)
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })
await startWorkerOf(app)
const guest = 'gast@example.org'

beforeEach(() => {
  mail.received.length = 0
})

const create = (name: string, idempotencyKey = name) =>
  app.call('/api/v2/vouchers', {
    method: 'POST',
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ site_id: site, name, message: { email: guest, language: 'de' } }),
  })
/** The messages of the creations of this name, the earliest first. */
const messagesOf = async (name: string) =>
  (
    await app.db.query(
      `select c.state as creation, m.state, m.email is null as "isErased"
         from creations c join messages m on m.creation_id = c.id
        where c.controller_name like '%' || $1 order by c.sent_at`,
      [`_${name}`],
    )
  ).rows
const accepted = { creation: 'recorded', state: 'accepted', isErased: false }
const cancelled = (creation: string) => ({ creation, state: 'cancelled', isErased: true })

test('a creation that ends without a voucher cancels its message, and erases the address in the same commit', async () => {
  await app.db.query(`
    create table seen (creation text, message text, has_address boolean, transaction_of_both boolean);
    create function see() returns trigger language plpgsql as $$
    begin
      insert into seen select c.state, new.state, new.email is not null, c.xmin = pg_current_xact_id()::xid
        from creations c where c.id = new.creation_id;
      return null;
    end $$;
    create trigger see after update of state on messages for each row execute function see()`)
  await simulator.fault('reset')
  await create('absent')
  await expect.poll(() => messagesOf('absent')).toEqual([cancelled('absent')])

  expect((await app.db.query('select * from seen')).rows).toEqual([
    { creation: 'absent', message: 'cancelled', has_address: false, transaction_of_both: true },
  ])
  await app.db.query('drop trigger see on messages')
  expect(mail.received).toEqual([])
})

test('a late voucher of a creation that was given up is recorded, and nobody gets a mail', async () => {
  await simulator.fault('created-then-reset')
  await create('late')
  await app.db.query(
    `update creations set state = 'absent', settled_at = now() where settled_at is null and controller_name like '%_late'`,
  )
  expect(await messagesOf('late')).toEqual([cancelled('absent')])
  await app.db.query(`update sites set next_sync_at = now() - interval '1 second'`)
  await expect.poll(() => messagesOf('late')).toEqual([cancelled('recorded')])

  await pause(1_500) // longer than until the next sweep
  expect(mail.received).toEqual([])
})

test('a second attempt with the same Idempotency-Key has a message of its own, and one mail is sent', async () => {
  await simulator.fault('forbidden')
  expect((await create('again')).headers['voucher-outcome']).toBe('none')
  expect((await create('again')).status).toBe(201)
  await expect.poll(() => messagesOf('again')).toEqual([cancelled('rejected'), accepted])

  expect(mail.received).toHaveLength(1)
})

test('a second attempt after `absent` sends one mail, also if the voucher of the first attempt turns up', async () => {
  await simulator.fault('created-then-reset')
  await create('twice')
  await app.db.query(
    `update creations set state = 'absent', settled_at = now() where settled_at is null and controller_name like '%_twice'`,
  )
  expect((await create('twice')).status).toBe(201)
  await app.db.query(`update sites set next_sync_at = now() - interval '1 second'`)
  const surplus = async () =>
    (await app.db.query(`select surplus from creations where controller_name like '%_twice' and state = 'absent'`)).rows
  await expect.poll(surplus).not.toEqual([{ surplus: null }])
  await expect.poll(() => messagesOf('twice')).toEqual([cancelled('absent'), accepted])

  await pause(1_500)
  expect(mail.received).toHaveLength(1)
})

test('a repeat gets the first answer, although the mail server was removed since', async () => {
  const first = await create('kept')
  await expect.poll(() => mail.received.length).toBe(1)
  await removeMailServer(app.context, testActor)
  const answers = [await create('kept'), await create('new')]
  await setMailServer(app.context, testActor, { host: '127.0.0.1', port: mail.port, security: 'none' })

  expect(first.status).toBe(201)
  expect(answers.map(({ status }) => status)).toEqual([201, 409])
  expect(answers[0]?.json().id).toBe(first.json().id)
  expect(await messagesOf('new')).toEqual([])
})

test('an outage of the database after the mail server accepted a message: the guest gets one mail', async () => {
  await app.db.query(`
    create function fail_settling() returns trigger language plpgsql as $$ begin raise 'no space left on device'; end $$;
    create trigger fail_settling before update on messages for each row
      when (new.state = 'accepted') execute function fail_settling()`)
  expect((await create('outage')).status).toBe(201)
  await expect.poll(() => mail.received.length).toBe(1)
  await pause(4_000) // longer than a single statement is retried elsewhere
  await app.db.query('drop function fail_settling cascade')
  await expect.poll(() => messagesOf('outage'), { timeout: 20_000 }).toEqual([accepted])

  expect(mail.received).toHaveLength(1)
})
