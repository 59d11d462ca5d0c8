import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { closeListener } from './close-listener.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function startServer() {
  const server = createServer((_, response) => response.end('answered')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** Sends a request. The kernel accepts the connection at once; Node accepts it in a later turn of the event loop. */
async function sendRequest(port: number): Promise<{ answer: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write(request)
  socket.on('error', (error: NodeJS.ErrnoException) => (text += error.code))
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  await new Promise<void>((resolve) => process.nextTick(resolve)) // Node connects in the next tick
  return { answer }
}

/** Every turn of the event loop takes this long until the returned function is called. */
function keepBusy(turnMs: number): () => void {
  let isOver = false
  const turn = () => {
    const end = performance.now() + turnMs
    while (performance.now() < end);
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}

test('connections that wait to be accepted are answered, and later ones are refused', async () => {
  const { server, port } = await startServer()
  const waiting = await Promise.all(Array.from({ length: 20 }, () => sendRequest(port)))

  await closeListener(server, { acceptForMs: 60_000 })
  const late = await sendRequest(port)

  for (const { answer } of waiting) expect(await answer).toContain('answered')
  expect(await late.answer).toBe('ECONNREFUSED')
})

test('a busy server answers them too, although Node accepts one connection in each turn', async () => {
  const { server, port } = await startServer()
  const stopBusy = keepBusy(50)
  const waiting = await Promise.all(Array.from({ length: 40 }, () => sendRequest(port)))

  await closeListener(server, { acceptForMs: 60_000 })
  stopBusy()

  for (const { answer } of waiting) expect(await answer).toContain('answered')
})

test('a server that never has a quiet moment is closed too', async () => {
  const { server, port } = await startServer()
  const stopBusy = keepBusy(5)

  await closeListener(server)
  stopBusy()

  expect(server.listening).toBe(false)
  expect(await (await sendRequest(port)).answer).toBe('ECONNREFUSED')
})
