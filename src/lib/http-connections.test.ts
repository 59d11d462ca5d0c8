import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { range } from '#test/load.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { trackConnections } from './http-connections.ts'

const megabyte = 1_000_000
const day = 86_400_000
const limits = {
  requestsPerConnection: 16,
  stalledMs: day,
  unreadBytes: Number.POSITIVE_INFINITY,
  stalledWhenFullMs: day,
  checkEveryMs: 20,
}

/** A server with these limits. `open` sends requests for its answer on a new connection and reads nothing. */
async function startServer(answer: RequestListener, own: Partial<typeof limits>) {
  const reasons: string[] = []
  const info = (fields: object) => void reasons.push((fields as { reason: string }).reason)
  const ended: number[] = []
  const server = createServer(answer)
  trackConnections(server, { info, warn: info, error: info }, { ...limits, ...own })
  let opened = 0
  server.on('connection', (socket) => {
    const number = opened++
    socket.on('close', () => ended.push(number))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const open = async (requests = 1): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    onFileEnd(() => socket.destroy())
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests))
    await once(socket, 'connect')
    return socket
  }
  return { open, ended, reasons }
}

/** Reads a megabyte every 100 ms until all bytes have arrived or the connection has ended. */
async function readSlowly(socket: Socket, bytes: number): Promise<number> {
  let read = 0
  let isOver = false
  socket.on('data', (chunk) => {
    read += chunk.length
    if (read % megabyte < chunk.length) socket.pause()
  })
  socket.on('close', () => (isOver = true))
  for (; read < bytes && !isOver; await pause(100)) socket.resume()
  return read
}

/** More than the kernel takes for a client that does not read. */
const large = Buffer.alloc(40 * megabyte)

test('a connection whose client takes nothing is ended', async () => {
  const { open, ended, reasons } = await startServer((_, response) => response.end(large), { stalledMs: 300 })
  await open()

  await vi.waitFor(() => expect(ended).toEqual([0]), 20_000)
  expect(reasons).toEqual(['its client does not read'])
})

test('a client that reads slowly gets the whole answer, however long it takes', async () => {
  const { open, reasons } = await startServer((_, response) => response.end(large), {
    stalledMs: 3_000,
    unreadBytes: megabyte,
    stalledWhenFullMs: 3_000,
  })
  const begin = performance.now()
  const read = await readSlowly(await open(), large.length)

  expect(read).toBeGreaterThan(large.length)
  expect(performance.now() - begin).toBeGreaterThan(3_000)
  expect(reasons).toEqual([])
})

test('a stream that waits for its source is not ended', async () => {
  const { open, ended } = await startServer(
    async (_, response) => {
      response.write(large.subarray(0, 1_000))
      await pause(1_000)
      response.end('end')
    },
    { stalledMs: 100 },
  )
  const socket = await open()
  let text = ''
  socket.on('data', (chunk) => (text += chunk)).resume()

  await vi.waitFor(() => expect(text).toContain('end'), 20_000)
  expect(ended).toEqual([])
})

test('above the limit of all unread bytes, the connection that stopped first is ended', async () => {
  const { open, ended } = await startServer((_, response) => response.end(large), {
    unreadBytes: large.length * 1.5,
    stalledWhenFullMs: 500,
  })
  await open()
  await pause(1_000)
  expect(ended).toEqual([])
  await open()
  await vi.waitFor(() => expect(ended).toEqual([0]), 20_000)
  await pause(1_000)

  expect(ended).toEqual([0])
})

test('a connection with too many unanswered requests is ended, and no more of them are answered', async () => {
  const { promise: never } = Promise.withResolvers<void>()
  let answered = 0
  const { open, ended, reasons } = await startServer(async (request) => {
    if (request.socket.destroyed) return
    answered += 1
    await never
  }, {})
  await open(1_000)

  await vi.waitFor(() => expect(ended).toEqual([0]), 20_000)
  expect([answered, reasons]).toEqual([16, ['too many requests at once']])
})

test('any number of requests on one connection are answered if each waits for the answer before', async () => {
  const { open, reasons } = await startServer((_, response) => response.end('x'), {})
  const socket = await open()
  for (const _ of range(50)) {
    await once(socket.resume(), 'data')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  }

  expect(reasons).toEqual([])
})
