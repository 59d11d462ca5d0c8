import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { timeLimit } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createReceiverAddresses } from '../webhooks/receiver-url.ts'
import { wasAccepted } from './failure-kind.ts'
import { createReceivers, retryAfterMs } from './receivers.ts'

const own = { port: 0, databaseUrl: 'postgres://localhost' }
const receivers = createReceivers(createReceiverAddresses({ ...own, webhookAllowCidrs: ['127.0.0.0/8'] }))
onFileEnd(receivers.close)
const post = (url: string) => receivers.post(url, { 'content-type': 'application/json' }, '{}')

async function startServer(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => onSocket(socket.on('error', () => {})))
  return `127.0.0.1:${await listen(server)}`
}

const reply = async (body: string, path = '') => {
  const sink = await startWebhookSink()
  sink.answerWith({ status: 200, body })
  return (await post(sink.url + path)).reply
}

test('an answer has a status and the beginning of its body', async () => {
  expect(await reply('ok')).toBe('ok')
  expect(await reply('')).toBe('')
  expect(await reply('x'.repeat(1024 * 1024))).toBe('x'.repeat(4096))
})

test('a date in Retry-After counts from the date of the answer: the clock of this machine may be wrong', async () => {
  const sink = await startWebhookSink()
  const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }
  sink.answerWith({ status: 429, headers })

  expect((await post(sink.url)).retryAfterMs).toBe(30_000)
})

test.each([
  ['breaks off', 'content-length: 9\r\n\r\nhalf'],
  ['floods', `content-length: ${2 * 1024 * 1024}\r\n\r\n${'x'.repeat(2 * 1024 * 1024)}`],
])('a 2xx that %s does not count as accepted', async (_what, rest) => {
  const server = await startServer((socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)))
  const answer = await post(`http://${server}/`)

  expect(answer).toMatchObject({ status: 200, error: 'the answer is incomplete' })
  expect(wasAccepted(answer)).toBe(false)
})

test('the stored body is safe to print', async () => {
  const ends = '\u001b[2J\u0000\u009b31m\u202egnp.exe\r\nline\ttwo\u2028'

  expect(await reply(ends)).toBe('\ufffd[2J\ufffd\ufffd31m\ufffdgnp.exe\ufffd\nline\ttwo\ufffd')
  expect(await reply('ü'.repeat(3000))).toMatch(/^ü{2048}$/)
})

test('a receiver that repeats its URL does not bring it into the log', async () => {
  const path = '/services/T0CANARY/B0CANARY?token=secret%2Bcanary&x=1'

  expect(await reply(`no such hook: http://127.0.0.1/hook${path} (secret+canary) T0CANARY`, path)).toBe(
    'no such hook: http://127.0.0.1/hook/…/…/…?token=…&x=1 (…) …',
  )
})

test('an untrusted certificate: nothing is sent', async () => {
  const simulator = await startSimulator('--https')

  expect(await post(`${simulator.url}/hook`)).toMatchObject({ status: null, error: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(await simulator.requests()).toEqual([])
})

test.each([
  ['closes at once', (socket: Socket) => socket.destroy(), 'UND_ERR_SOCKET'],
  ['resets', (socket: Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  ['speaks no HTTP', (socket: Socket) => socket.end('220 smtp.example ESMTP\r\n'), 'connection failed'],
])('the error for a receiver that %s is a code or a short text', async (_what, onSocket, error) => {
  const answer = await post(`http://${await startServer(onSocket)}/`)

  expect(answer.status).toBeNull()
  expect([error, 'UND_ERR_SOCKET', 'ECONNRESET']).toContain(answer.error)
})

test('a whole answer may take 15 s; a 2xx that does not end is an error', async () => {
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
      error: 'the answer is incomplete',
      reply: expect.stringMatching(/^x{1,80}$/),
      retryAfterMs: null,
    },
  ])
  expect(answers.map(wasAccepted)).toEqual([false, false, false, false])
})

const now = Date.parse('2026-11-14T12:00:00Z')
const day = 86_400_000

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 7 ', 7_000],
  ['Sat, 14 Nov 2026 12:01:30 GMT', 90_000],
  ['Sat, 14 Nov 2026 11:00:00 GMT', 0],
  ['Sat, 21 Nov 2026 12:00:00 GMT', day],
  ['86401', day],
  ['9'.repeat(400), day],
  [['30', '60'], 30_000],
  [undefined, null],
  ['', null],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['soon', null],
  ['tomorrow GMT', null],
  ['2026-11-14', null],
])('Retry-After: %j', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})
