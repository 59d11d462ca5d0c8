import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { directAccess } from '#test/drivers.ts'
import { report, size } from '#test/measuring.ts'
import { listen } from '#test/network/sockets.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'

/** A controller that keeps connections open for minutes. `/hold` is answered only after `release`. */
async function startController() {
  const held: (() => void)[] = []
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    if (request.url === '/hold') held.push(() => response.end('{}'))
    else response.end('{}')
  })
  const counts = { opened: 0, open: 0 }
  server.on('connection', (socket) => {
    counts.opened += 1
    counts.open += 1
    socket.on('close', () => (counts.open -= 1))
  })
  const address = `http://127.0.0.1:${await listen(server)}`
  const release = () => {
    for (const answer of held.splice(0)) answer()
  }
  return { address, counts, held, release }
}

function connect(address: string, idleMs: number): HttpClient {
  return createHttpClient({ address, certificatePin: null, ...directAccess() }, idleMs)
}

function get(client: HttpClient, path = '/') {
  return client.request({ method: 'GET', path, headers: {}, deadline: AbortSignal.timeout(60_000) })
}

test('a connection without requests is closed after a while, and the next request opens one', async () => {
  const { address, counts } = await startController()
  const client = connect(address, 200)
  await get(client)
  await vi.waitFor(() => expect(counts.open).toBe(0), { timeout: 60_000 })

  expect(await get(client)).toMatchObject({ status: 200 })
  expect(counts.opened).toBe(2)
  expect(client.shared.requestCount()).toBe(2)
})

test('a connection in use is never closed, however long its request takes', async () => {
  const { address, counts, held, release } = await startController()
  const client = connect(address, 1)
  const slow = get(client, '/hold')
  await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 60_000 })
  for (let i = 0; i < 5; i++) {
    await get(client) // each one ends while the slow request still waits
    await pause(20)
  }
  expect(counts.open).toBeGreaterThan(0)
  release()

  expect(await slow).toMatchObject({ status: 200, text: '{}' })
  await vi.waitFor(() => expect(counts.open).toBe(0), { timeout: 60_000 })
})

test.each([0, 60_000])('a closed client sends nothing more (closed while idle for %i ms)', async (idleMs) => {
  const { address, counts } = await startController()
  const client = connect(address, idleMs)
  await get(client)
  if (idleMs === 0) await vi.waitFor(() => expect(counts.open).toBe(0), { timeout: 60_000 })
  await client.shared.close()

  await expect(get(client)).rejects.toMatchObject({ failure: 'failed' })
  expect(counts.opened).toBe(1)
})

test('a controller that was not called recently needs less than 12 kB of heap', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { address, counts } = await startController()
  const clients: HttpClient[] = []
  const callNew = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const client = connect(address, 100)
      clients.push(client)
      await client.request({ method: 'GET', path: '/', headers: {}, deadline: new AbortController().signal })
    }
    await vi.waitFor(() => expect(counts.open).toBe(0), { timeout: 60_000 })
    collect()
    return process.memoryUsage().heapUsed
  }
  const controllers = size(1_000, 5_000)
  const before = await callNew(100)
  const after = await callNew(controllers)
  const bytes = (after - before) / controllers
  report('bytes of heap per controller', bytes)

  expect(clients).toHaveLength(100 + controllers)
  expect(bytes).toBeLessThan(12_000) // 26,000 with an open pool
})
