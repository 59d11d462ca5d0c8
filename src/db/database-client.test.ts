import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { DatabaseClient } from './database-client.ts'

const server = createServer().listen(0, '127.0.0.1')
onFileEnd(() => server.close())
await once(server, 'listening')
const { port } = server.address() as AddressInfo

/** The first bytes that a client sends. The server then closes the connection. */
async function firstBytes(parameters: string): Promise<string> {
  const connected = once(server, 'connection') as Promise<[Socket]>
  const client = new DatabaseClient({ connectionString: `postgres://u@127.0.0.1:${port}/db?${parameters}` })
  client.on('error', () => {})
  const failed = expect(client.connect()).rejects.toThrow()
  const [socket] = await connected
  const [data] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  await failed
  return data.toString('hex')
}

test.each([
  ['sslmode=disable', 'the protocol 3.0', /^.{8}00030000/],
  ['sslmode=no-verify', 'the question whether the server has TLS', /^0000000804d2162f$/],
  ['sslmode=no-verify&sslnegotiation=direct', 'a TLS handshake', /^1603/],
])('with %s, a connection begins with %s', async (parameters, _, bytes) => {
  expect(await firstBytes(parameters)).toMatch(bytes)
})
