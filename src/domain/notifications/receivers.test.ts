import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { startSimulator } from '#test/simulator.ts'
import { timeLimit } from '#test/size.ts'
import { startWebhookSink } from '#test/webhook-sink.ts'
import { createReceiverAddresses } from './receiver-addresses.ts'
import { createReceivers } from './receivers.ts'
import { hasArrived } from './send.ts'

const own = { port: 0, databaseUrl: 'postgres://localhost' }
const receivers = createReceivers(createReceiverAddresses({ ...own, webhookAllowCidrs: ['127.0.0.0/8'] }))
onFileEnd(receivers.close)
const post = (url: string) => receivers.post(url, { 'content-type': 'application/json' }, '{}')

async function startServer(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => onSocket(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const reply = async (body: string, path = '') => {
  const sink = await startWebhookSink()
  sink.answerWith({ status: 200, body })
  return (await post(sink.url + path)).reply
}

test('an answer is a status and the beginning of its words', async () => {
  expect(await reply('ok')).toBe('ok')
  expect(await reply('')).toBe('')
  expect(await reply('x'.repeat(1024 * 1024))).toBe('x'.repeat(4096))
})

test.each([
  ['breaks off', 'content-length: 9\r\n\r\nhalf'],
  ['floods', `content-length: ${2 * 1024 * 1024}\r\n\r\n${'x'.repeat(2 * 1024 * 1024)}`],
])('a 2xx that %s did not arrive', async (_what, rest) => {
  const server = await startServer((socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)))
  const answer = await post(`http://${server}/`)

  expect(answer).toMatchObject({ status: 200, error: 'the answer did not come to its end' })
  expect(hasArrived(answer)).toBe(false)
})

test('the words are safe to print and to store', async () => {
  const ends = '\u001b[2J\u0000\u009b31m\u202egnp.exe\r\nline\ttwo\u2028'

  expect(await reply(ends)).toBe('\ufffd[2J\ufffd\ufffd31m\ufffdgnp.exe\ufffd\nline\ttwo\ufffd')
  expect(await reply('ü'.repeat(3000))).toMatch(/^ü{2048}$/)
})

test('a receiver that repeats the address does not bring it into the log', async () => {
  const path = '/services/T0CANARY/B0CANARY?token=secret%2Bcanary&x=1'

  expect(await reply(`no such hook: http://127.0.0.1/hook${path} (secret+canary) T0CANARY`, path)).toBe(
    'no such hook: http://127.0.0.1/hook/…/…/…?token=…&x=1 (…) …',
  )
})

test('a certificate that nobody vouches for: nothing is sent', async () => {
  const simulator = await startSimulator('--https')

  expect(await post(`${simulator.url}/hook`)).toMatchObject({ status: null, error: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(await simulator.requests()).toEqual([])
})

test.each([
  ['closes at once', (socket: Socket) => socket.destroy(), 'UND_ERR_SOCKET'],
  ['resets', (socket: Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  ['speaks no HTTP', (socket: Socket) => socket.end('220 smtp.example ESMTP\r\n'), 'connection failed'],
])('a receiver that %s is told apart by a word', async (_what, onSocket, error) => {
  const answer = await post(`http://${await startServer(onSocket)}/`)

  expect(answer.status).toBeNull()
  expect([error, 'UND_ERR_SOCKET', 'ECONNRESET']).toContain(answer.error)
})

test('15 s in all, whatever it is that does not come; a 2xx that does not end is an error', {
  timeout: 30_000,
}, async () => {
  const drip = (head: string) => (socket: Socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write('x'), 200)
    socket.on('close', () => clearInterval(timer))
  }
  const silent = await startServer(() => {})
  const slowHeaders = await startServer(drip('HTTP/1.1 200 OK\r\nx-header: '))
  const slowBody = await startServer(drip('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'))
  const begin = performance.now()
  const answers = await Promise.all(
    [`http://${silent}/`, `https://${silent}/`, `http://${slowHeaders}/`, `http://${slowBody}/`].map(post),
  )
  const late = { status: null, error: 'no answer within 15 s', reply: null, retryAfterMs: null }

  expect(performance.now() - begin).toBeGreaterThan(14_500)
  expect(performance.now() - begin).toBeLessThan(timeLimit(16_500))
  expect(answers).toEqual([
    late,
    late,
    late,
    {
      status: 200,
      error: 'the answer did not come to its end',
      reply: expect.stringMatching(/^x{60,80}$/),
      retryAfterMs: null,
    },
  ])
  expect(answers.map(hasArrived)).toEqual([false, false, false, false])
})
