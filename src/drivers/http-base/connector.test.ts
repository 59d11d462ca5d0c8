import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { addressPolicy } from '#test/drivers.ts'
import { timeLimit } from '#test/measuring.ts'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createConnector } from './connector.ts'

const heard: Buffer[] = []
const silent = createServer((socket) => socket.on('error', () => {}).on('data', (chunk) => heard.push(chunk)))
const port = await listen(silent)

/** Sends a request to a controller called `unifi.example`. The resolver answers after `resolveMs`. */
async function ask(resolveMs: number): Promise<unknown> {
  const connect = createConnector(null, addressPolicy, async () => {
    await wait(resolveMs, undefined, { ref: false })
    return [{ address: '127.0.0.1', family: 4 }]
  })
  const pool = new Pool(`https://unifi.example:${port}`, { connect })
  onFileEnd(() => pool.destroy())
  return pool.request({ method: 'GET', path: '/' }).catch((error) => error.message)
}

test('a slow resolver and a silent controller share the limit of 3 s, and TLS sends the host name', async () => {
  const startedAt = performance.now()

  expect(await ask(2_000)).toBe('The controller cannot be reached (UND_ERR_CONNECT_TIMEOUT)')
  expect(performance.now() - startedAt).toBeLessThan(timeLimit(4_500))
  expect(Buffer.concat(heard).includes('unifi.example')).toBe(true)
})

test('a request ends after 3 s when the resolver does not answer', async () => {
  const startedAt = performance.now()

  expect(await ask(20_000)).toBe('The controller cannot be reached (ETIMEOUT)')
  expect(performance.now() - startedAt).toBeLessThan(timeLimit(4_500))
})
