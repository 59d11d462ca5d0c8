import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { median, report, timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'

/** Where the mail server stops to answer: always at the greeting or after the message, or only for recipients at slow.example. */
type Hanging = 'greeting' | 'message' | 'slow recipients'

async function startHungServer(hangsAt: Hanging) {
  const sockets = new Set<Socket>()
  let messages = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (hangsAt === 'greeting') return
    socket.write('220 mail.example ESMTP\r\n')
    let end = ''
    socket.on('data', (chunk) => {
      const line = `${chunk}`
      end = (end + line).slice(-5)
      const isMessage = end === '\r\n.\r\n'
      if (isMessage) messages++
      if (/^DATA/i.test(line)) socket.write('354 Go on\r\n')
      else if (/slow\.example/.test(line) && /^RCPT/i.test(line)) return
      else if (isMessage && hangsAt === 'slow recipients') socket.write('250 Accepted\r\n')
      else if (/^(EHLO|HELO|MAIL|RCPT)/i.test(line)) socket.write('250 Ok\r\n')
    })
  })
  const port = await listen(server)
  onFileEnd(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { port, connections: () => sockets.size, messages: () => messages }
}

const messages = 200
const measured = 300

async function startAll(hangsAt: Hanging) {
  const db = await createTestDatabase()
  const [server, simulator, sink] = await Promise.all([startHungServer(hangsAt), startSimulator(), startWebhookSink()])
  const site = await seedControlledSite(db, simulator)
  const { key } = await seedKey(db, { scope: 'write' })
  const { key: otherKey } = await seedKey(db, { scope: 'write' })
  const env = {
    MAIL_SERVER: `127.0.0.1:${server.port}`,
    MAIL_SECURITY: 'none',
    MAIL_FROM: 'Adler <wlan@adler.example>',
  }
  const [api, worker] = await Promise.all([startService(db.url, env), startService(db.url, env, 'worker')])
  const create = async (name: string, message?: object, by = key) => {
    const answer = await call(`${api.url}/api/v2/vouchers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by}` },
      body: JSON.stringify({ site_id: site, name, ...(message && { message }) }),
    })
    expect(answer.status).toBe(201)
    return answer.json().id as string
  }
  return { db, server, sink, site, worker, otherKey, create }
}

test('while the mail server hangs, creations and webhooks take less than twice as long', async () => {
  const { db, server, sink, site, worker, create } = await startAll('greeting')
  await seedWebhook(db, { url: sink.url, siteIds: [site] })

  /** The milliseconds of creations, and until the sink was notified of them. */
  async function measure(round: string) {
    const times = { creation: [] as number[], webhook: [] as number[] }
    for (const number of range(measured)) {
      const before = sink.received.length
      const startedAt = performance.now()
      await create(`${round} ${number}`)
      times.creation.push(performance.now() - startedAt)
      await expect.poll(() => sink.received.length, { interval: 2 }).toBeGreaterThan(before)
      times.webhook.push(performance.now() - startedAt)
    }
    return { creation: median(times.creation), webhook: median(times.webhook) }
  }

  await measure('Warm')
  const healthy = await measure('Healthy')
  for (const number of range(messages)) await create(`Message ${number}`, { email: `gast-${number}@example.org` })
  await expect.poll(server.connections).toBe(6) // the most of one key
  await expect.poll(() => sink.received.length).toBe(2 * measured + messages)
  const hung = await measure('Hung')
  expect(server.connections()).toBeGreaterThan(0)
  report('creation p50, ms: healthy, while the mail server hangs, ratio', [
    healthy.creation,
    hung.creation,
    hung.creation / healthy.creation,
  ])
  report('webhook p50, ms: healthy, while the mail server hangs, ratio', [
    healthy.webhook,
    hung.webhook,
    hung.webhook / healthy.webhook,
  ])
  expect(hung.creation / healthy.creation).toBeLessThan(2)
  expect(hung.webhook / healthy.webhook).toBeLessThan(2)

  const stoppedAt = performance.now()
  expect(await worker.stop()).toBe(0)
  report('stop of a worker while the mail server hangs, ms', performance.now() - stoppedAt)
  expect(performance.now() - stoppedAt).toBeLessThan(6_000) // the worker would wait 12 s for a greeting
  const { rows } = await db.query(
    `select state, count(*)::integer as count, bool_and(next_attempt_at < now() + interval '10 seconds') as "isDueSoon"
       from messages group by state`,
  )
  expect(rows).toEqual([{ state: 'waiting', count: messages, isDueSoon: true }]) // the next worker sends them
})

test('a worker whose mail server does not answer a whole message stops in order, within SHUTDOWN_SECONDS', async () => {
  const { server, worker, create } = await startAll('message')
  await create('Message', { email: 'gast@example.org' })
  await expect.poll(server.messages).toBe(1)
  const stoppedAt = performance.now()

  expect(await worker.stop()).toBe(0)
  report('stop of a worker that waits for the answer to a message, ms', performance.now() - stoppedAt)
  expect(performance.now() - stoppedAt).toBeLessThan(timeLimit(15_000))
  expect(worker.log.join()).not.toContain('stopping took too long')
})

test('while the server of some recipients hangs, messages of others take less than twice as long', async () => {
  const { server, otherKey, create } = await startAll('slow recipients')

  /** The milliseconds until the mail server has a message. */
  async function measure(round: string) {
    const times: number[] = []
    for (const number of range(100)) {
      const before = server.messages()
      const startedAt = performance.now()
      await create(`${round} ${number}`, { email: `${round}-${number}@example.org` }, otherKey)
      await expect.poll(server.messages, { interval: 2 }).toBe(before + 1)
      times.push(performance.now() - startedAt)
    }
    return median(times)
  }

  await measure('warm')
  const healthy = await measure('healthy')
  for (const number of range(messages)) await create(`Slow ${number}`, { email: `gast-${number}@slow.example` })
  await expect.poll(server.connections).toBeGreaterThanOrEqual(6)
  const hung = await measure('hung')
  report('message p50, ms: healthy, while the server of other recipients hangs, ratio', [healthy, hung, hung / healthy])
  expect(server.connections()).toBeGreaterThanOrEqual(6)
  expect(hung / healthy).toBeLessThan(2)
})
