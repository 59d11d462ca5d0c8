import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey } from '#test/data/seed.ts'
import { isLong, median, percentile, report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { exchange, openSocket } from '#test/network/sockets.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const { url } = await startService(db.url)
const { key } = await seedKey(db, { scope: 'write' })

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

  expect(Math.max(...closed)).toBeLessThan(12_000)
})

test.concurrent('a slow client gets 408 in the common shape of errors', async () => {
  const { statuses, body } = await exchange(url, 'GET /api/sites.php HTTP/1.1\r\nHost: x\r\n', 13_000)

  expect(statuses).toEqual([408])
  expect(JSON.parse(body).error).toBe('request_timeout')
})

test.concurrent('a slow body ends after 15 s', async () => {
  const head = `POST /api/vouchers.php HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 1000\r\n\r\n{`
  const { closedAfterMs } = await exchange(url, head, 20_000)

  expect(closedAfterMs).toBeGreaterThan(13_000)
  expect(closedAfterMs).toBeLessThan(17_500)
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
