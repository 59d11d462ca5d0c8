import { createServer } from 'node:http'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { createConnector } from '#drivers/http-base/connector.ts'
import { createAddressPolicy } from '#lib/address-policy.ts'
import type { Lookup } from '#lib/look-up-name.ts'
import { report } from '#test/measuring.ts'
import { listen, startListener } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const notAllowed = expect.objectContaining({
  failure: 'unreachable',
  outcome: 'refused',
  message: 'The address of the controller is not allowed',
})

/** Starts a server on an allowed address and a trap on a forbidden one. Both have the same name and port. */
async function startTwoFaced(lookup: (allowed: string, forbidden: string) => Lookup) {
  let served = 0
  const server = createServer((_request, response) => {
    served++
    response.setHeader('connection', 'close').end()
  })
  const port = await listen(server)
  const trap = await startListener({ address: '127.0.0.2', port })
  const connect = createConnector(
    null,
    createAddressPolicy({ forbidden: ['127.0.0.2'], ownPorts: [] }),
    lookup('127.0.0.1', '127.0.0.2'),
  )
  const pool = new Pool(`http://flip.example:${port}`, { connections: 1, connect })
  onFileEnd(() => pool.close())
  const ask = async () => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/' })
    await body.dump()
    return statusCode
  }
  return { ask, trap, served: () => served }
}

test('a name that changes its address between two lookups never leads to the forbidden address', async () => {
  let asked = 0
  const { ask, trap, served } = await startTwoFaced((allowed, forbidden) => async () => {
    asked++
    return [{ address: asked % 2 === 1 ? allowed : forbidden, family: 4 }]
  })
  for (let i = 0; i < 10; i++) {
    expect(await ask()).toBe(200)
    await expect(ask()).rejects.toEqual(notAllowed)
  }
  report('a name that flips its address: answers of the resolver, served requests, caught', [
    asked,
    served(),
    trap.connections,
  ])

  expect([asked, served(), trap.connections]).toEqual([20, 10, 0])
})

test('a name is rejected if one of its addresses is forbidden', async () => {
  const { ask, trap, served } = await startTwoFaced((allowed, forbidden) => async () => [
    { address: allowed, family: 4 },
    { address: forbidden, family: 4 },
  ])

  await expect(ask()).rejects.toEqual(notAllowed)
  expect([served(), trap.connections]).toEqual([0, 0])
})
