import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { connectDatabase, Unavailable } from './database.ts'
import { DatabaseClient } from './database-client.ts'

const server = createServer()
const port = await listen(server)

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

test('a server that ends the connection together with its first answer makes the statement fail, and the process goes on', async () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
  const signedIn = hex('52 00000008 00000000  5a 00000005 49')
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const ended = Buffer.concat([hex('45'), Buffer.from(Uint32Array.of(fields.length + 4).buffer).swap32(), fields])
  const stopping = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([signedIn, ended])))
  })
  const at = await listen(stopping)
  const db = connectDatabase({ url: `postgres://u@127.0.0.1:${at}/db?sslmode=disable`, poolSize: 1, onError: () => {} })
  onFileEnd(() => db.close())

  await expect(db.query('select 1')).rejects.toThrow(Unavailable)
})
