import { once } from 'node:events'
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey } from '#test/data/seed.ts'
import { isLong, median, percentile, report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { exchange, openSocket } from '#test/network/sockets.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const { url, log } = await startService(db.url)
const { key } = await seedKey(db, { scope: 'write' })

/** How late a busy machine may be in CI. A multiple of the times would hide that the service waits twice as long. */
const latenessMs = isLong ? 0 : 15_000

const beginnings = {
  silent: '',
  'slow in its headers': 'GET /api/sites.php HTTP/1.1\r\nHost: x\r\n',
  'slow in its first line': 'GET /api/si',
}

/** Opens sockets that never finish a request. Returns after how many milliseconds each was closed. */
function openSlowSockets(count: number): { closed: Promise<number[]>; destroy(): void } {
  const sockets: Socket[] = []
  const closed = Array.from({ length: count }, (_, i) => {
    const begin = performance.now()
    const start = Object.values(beginnings)[i % 3] as string
    const socket = openSocket(url)
    sockets.push(socket)
    if (start !== '') socket.write(start)
    const drip = start === '' ? undefined : setInterval(() => socket.writable && socket.write('a'), 1_000)
    socket.on('error', () => {})
    socket.resume()
    return new Promise<number>((resolve) =>
      socket.on('close', () => {
        clearInterval(drip)
        resolve(performance.now() - begin)
      }),
    )
  })
  return { closed: Promise.all(closed), destroy: () => sockets.forEach((socket) => void socket.destroy()) }
}

/** The 99th percentile of valid requests, 50 a second for some seconds. */
async function measureP99(seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const times: Promise<number>[] = []
  for (let i = 0; i < seconds * 50; i++) {
    const begin = performance.now()
    times.push(
      call(`${url}/api/sites.php`, { headers: { 'x-api-key': key }, agent }).then(({ status }) => {
        expect(status).toBe(200)
        return performance.now() - begin
      }),
    )
    await wait(20)
  }
  const p99 = percentile(await Promise.all(times), 99)
  agent.destroy()
  return p99
}

test(`${size(200, 1_000)} slow sockets are closed within 12 s while valid requests are served`, async () => {
  const slow = openSlowSockets(size(200, 1_000))
  const [closed, p99] = await Promise.all([slow.closed, measureP99(10)])
  report('slow sockets: last one closed after ms', Math.max(...closed))
  report('slow sockets: p99 of valid requests in ms', p99)

  expect(Math.max(...closed)).toBeLessThan(12_000 + latenessMs)
})

test.concurrent(`${size(20, 260)} connections whose clients read nothing are ended; a slow reader gets its whole answer`, async () => {
  const path = '/api/v2/openapi.json'
  const whole = (await call(url + path)).bytes.length
  const unread = Array.from({ length: size(20, 260) }, () => {
    const socket = openSocket(url)
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(12))
    return socket
  })
  const slow = readSlowly(path, size(50_000, 20_000))
  const countEnded = () => log.filter((line) => line.includes('its client does not read')).length
  // The kernel takes about 4 MB of each connection's answers, so at least half of them stay unread in the service.
  const isWithinBudget = () => (unread.length - countEnded()) * 6 * whole < 64 * 1024 * 1024
  await vi.waitFor(() => expect(isWithinBudget()).toBe(true), { timeout: 60_000, interval: 500 })
  const endedForMemory = countEnded()
  await vi.waitFor(() => expect(countEnded()).toBe(unread.length), { timeout: 60_000, interval: 500 })
  const received = await Promise.all(unread.map(readToEnd))
  report('unread answers: connections ended because of the memory of all', endedForMemory)

  expect(endedForMemory).toBeLessThan(unread.length)
  expect(Math.max(...received)).toBeLessThan(12 * whole)
  expect(await slow).toBe(whole)
})

/** Reads at this many bytes a second. Returns the length of the body. */
async function readSlowly(path: string, bytesPerSecond: number): Promise<number> {
  const socket = openSocket(url)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await once(socket, 'readable')
  const chunks: Buffer[] = []
  socket.on('end', () => clearInterval(reading))
  const reading = setInterval(() => {
    const chunk = socket.read(Math.min(bytesPerSecond / 10, socket.readableLength || 1)) as Buffer | null
    if (chunk) chunks.push(chunk)
  }, 100)
  await once(socket, 'end')
  const answer = Buffer.concat(chunks)
  return answer.length - answer.indexOf('\r\n\r\n') - 4
}

/** Reads what is left and returns how much it was. A connection that was not ended would deliver all its answers. */
async function readToEnd(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk) => (bytes += chunk.length))
  socket.setTimeout(5_000, () => socket.destroy())
  socket.resume()
  if (!socket.closed) await new Promise((resolve) => socket.on('close', resolve))
  return bytes
}

test.concurrent('a slow client gets 408 in the common shape of errors', async () => {
  const { statuses, body } = await exchange(url, 'GET /api/sites.php HTTP/1.1\r\nHost: x\r\n', 13_000 + latenessMs)

  expect(statuses).toEqual([408])
  expect(JSON.parse(body).error).toBe('request_timeout')
})

test.concurrent('a slow body ends after 15 s', async () => {
  const head = `POST /api/vouchers.php HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 1000\r\n\r\n{`
  const { closedAfterMs } = await exchange(url, head, 20_000 + latenessMs)

  expect(closedAfterMs).toBeGreaterThan(13_000)
  expect(closedAfterMs).toBeLessThan(17_500 + latenessMs)
})

test.runIf(isLong)(
  'the p99 of valid requests beside 1,000 slow sockets stays below twice the p99 without (median of 5)',
  async () => {
    const ratios: number[] = []
    for (let round = 0; round < 6; round++) {
      const without = await measureP99(4)
      const slow = openSlowSockets(1_000)
      await wait(500)
      const beside = await measureP99(4)
      slow.destroy()
      await slow.closed
      if (round > 0) ratios.push(beside / without) // the first one warms up
    }
    report('slow sockets: p99 beside them / without', ratios)

    expect(median(ratios)).toBeLessThan(2)
  },
)
