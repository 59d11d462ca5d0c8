import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Point } from '#lib/points.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { isLong, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startMailServer } from '#test/network/mail-server.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { type Supervised, supervise } from '../faults/cluster.ts'

const messages = 200
const kills = 20
/** How many attempts a worker makes at once. Each of them may be repeated if the worker is killed. */
const attemptsAtOnce = 8

const db = await createTestDatabase()
const mail = await startMailServer({ security: 'none' })
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator)
const { key } = await seedKey(db, { scope: 'write' })
const env = {
  DATABASE_URL: db.url,
  SETTLE_SECONDS: '5',
  WEBHOOK_RETRY_SCALE: '0.01',
  MAIL_SERVER: `127.0.0.1:${mail.port}`,
  MAIL_SECURITY: 'none',
  MAIL_FROM: 'Adler <wlan@adler.example>',
}
const api = await supervise('api', 'api', env)
const worker = await supervise('worker', 'worker', env)
const killed = () => api.kills + worker.kills

/** The worker at `before ack`: the mail server has the message, and nobody has recorded that. */
const strikes: [Supervised, Point][] = [
  [worker, 'before ack'],
  [api, 'creation opened'],
  [api, 'in flight'],
  [worker, 'before ack'],
  [api, 'after answer'],
  [api, 'after commit'],
]

/** Kills the process at the point, or anywhere if it does not reach the point soon. */
async function strike(number: number): Promise<void> {
  const [target, point] = strikes[number % strikes.length] as (typeof strikes)[0]
  const before = target.kills
  target.dieAt(point)
  for (let i = 0; i < 100 && target.kills === before; i++) await pause(50)
  if (target.kills === before) target.kill()
  await expect.poll(() => target.kills).toBeGreaterThan(before)
  await pause(500) // time in which the next process does some work
}

/** Repeats the request with its Idempotency-Key until it is acknowledged. A part of the requests begins with each kill. */
async function createWithMessage(number: number): Promise<{ number: number; code: string }> {
  while (killed() < Math.floor((number * kills) / messages)) await pause(20)
  for (;;) {
    const answer = await call(`${api.url}/api/v2/vouchers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': `message-${number}` },
      body: JSON.stringify({
        site_id: site,
        name: `Gast ${number}`,
        message: { email: `gast-${number}@example.org`, language: 'de' },
      }),
    }).catch(() => undefined)
    if (answer?.status === 201) return { number, code: answer.json().formatted_code }
    await pause(200)
  }
}

test.runIf(isLong)(
  `${messages} messages, ${kills} kills of api and worker: all accepted`,
  { timeout: 900_000 },
  async () => {
    const startedAt = performance.now()
    const clients = Promise.all(range(messages).map(createWithMessage))
    for (const number of range(kills)) await strike(number)
    const created = await clients
    await pause(3_000)
    const waiting = async () =>
      (await db.query(`select from messages where state in ('prepared', 'waiting')`)).rowCount as number
    await expect.poll(waiting, { timeout: 150_000, interval: 250 }).toBe(0)

    const { rows } = await db.query<{ name: string; states: string[] }>(
      `select v.name, array_agg(m.state) as states from vouchers v join messages m on m.site_id = v.site_id and m.voucher_id = v.id
      group by v.site_id, v.id, v.name`,
    )
    const states = Object.fromEntries(rows.map((row) => [row.name, row.states]))
    expect(states).toEqual(Object.fromEntries(created.map(({ number }) => [`Gast ${number}`, ['accepted']])))
    const { rows: others } = await db.query(
      `select state, email is null as "isErased" from messages where voucher_id is null`,
    )
    for (const other of others) expect(other).toEqual({ state: 'cancelled', isErased: true })

    const received = Map.groupBy(mail.received, ({ to }) => to.join())
    expect([...received.keys()].toSorted()).toEqual(
      created.map(({ number }) => `gast-${number}@example.org`).toSorted(),
    )
    for (const { number, code } of created) {
      const copies = received.get(`gast-${number}@example.org`) ?? []
      expect(new Set(copies.map(({ message }) => messageIdOf(`${message}`))).size).toBe(1)
      for (const { message } of copies) expect(`${message}`).toContain(code)
    }
    const doubles = mail.received.length - messages
    report('messages, kills of the api, of the worker, doubles, cancelled attempts, seconds', [
      messages,
      api.kills,
      worker.kills,
      doubles,
      others.length,
      Math.round((performance.now() - startedAt) / 1_000),
    ])
    expect(killed()).toBeGreaterThanOrEqual(kills)
    expect(doubles).toBeGreaterThan(0) // a worker was killed between the acceptance and its record
    expect(doubles).toBeLessThanOrEqual(worker.kills * attemptsAtOnce)
  },
)

/** Nobody waits until the leases of killed processes end. A call that is under way takes milliseconds here. */
async function endLeasesOfKilled(): Promise<void> {
  await db.query(
    `update creations set lease_until = now() - interval '1 second' where state = 'open' and sent_at < now() - interval '5 seconds'`,
  )
}

/** Whether the controller has the voucher of a creation whose process died at this point. Nobody repeats the request. */
test.each<[Point, boolean]>([
  ['creation opened', false],
  ['after answer', true],
  ['after commit', true],
])('the api dies at %j: the message is sent once, or is cancelled without its address', async (point, isMade) => {
  const [name, email] = [`Allein ${point}`, `${point.replace(' ', '-')}@example.org`]
  const before = api.kills
  api.dieAt(point)
  const answer = await call(`${api.url}/api/v2/vouchers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ site_id: site, name, message: { email, language: 'de' } }),
  }).catch(() => undefined)
  expect(answer).toBeUndefined()
  await expect.poll(() => api.kills).toBe(before + 1)
  const messagesOf = async () => {
    await endLeasesOfKilled()
    return (
      await db.query(
        `select m.state, m.email is null as "isErased" from messages m join creations c on c.id = m.creation_id
          where c.controller_name like '%' || $1`,
        [`_${name}`],
      )
    ).rows
  }
  const expected = isMade ? { state: 'accepted', isErased: false } : { state: 'cancelled', isErased: true }
  await expect.poll(messagesOf, { interval: 250 }).toEqual([expected])

  const made = (await simulator.vouchers()).filter((voucher) => voucher.name.endsWith(`_${name}`))
  expect(made).toHaveLength(isMade ? 1 : 0)
  expect(mail.received.filter(({ to }) => to[0] === email)).toHaveLength(isMade ? 1 : 0)
  await expect.poll(async () => (await call(`${api.url}/healthz`).catch(() => undefined))?.status).toBe(200)
})

function messageIdOf(message: string): string {
  const [, id = ''] = /^Message-ID: (<[^>]+>)/im.exec(message) ?? []
  expect(id).not.toBe('')
  return id
}
