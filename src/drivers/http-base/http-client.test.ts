import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { directAccess } from '#test/drivers.ts'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createHttpClient } from './http-client.ts'

const device = '02:00:5e:00:00:01'
const start = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

test.each([
  ['a broken header', `HTTP/1.1 200 OK\r\n${device}\x00: 1\r\n\r\n`],
  ['a broken piece', `${start}transfer-encoding: chunked\r\n\r\nzz${device}\r\n`],
  ['an end in the middle', `${start}content-length: 400\r\n\r\n{"mac":"${device}"`],
])('an error for a reply with %s contains nothing of the reply', async (_, reply) => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(reply))
    socket.on('error', () => {})
  })
  const address = `http://127.0.0.1:${await listen(server)}`
  const client = createHttpClient({ address, certificatePin: null, ...directAccess() })
  onFileEnd(() => client.shared.close())
  const request = { method: 'GET', path: '/', headers: {}, deadline: AbortSignal.timeout(5_000) } as const
  const error = await client.request(request).catch((caught) => caught)

  expect(error).toMatchObject({ name: 'ControllerError', outcome: 'unknown' })
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(device)
})
