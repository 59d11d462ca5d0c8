import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { freePort } from '#test/data/local-servers.ts'
import { createAndClaim, directAccess } from '#test/drivers.ts'
import { listen } from '#test/network/sockets.ts'
import type { ControllerConnection, ControllerPlace } from '../driver.ts'
import { type Bench, controllerError, shape } from './setup.suite.ts'

/** Tests what is needed to reach the vouchers of an HTTP controller: address, certificate, credentials and site. */
export function testReaching(bench: Bench): void {
  const { simulator, connection, connect, create, listAll } = bench
  const reach = (change: Partial<ControllerPlace> = {}) =>
    bench.driver.reach({
      address: simulator.url,
      certificatePin: parseFingerprint(simulator.fingerprint as string) as Buffer,
      ...directAccess(),
      ...change,
    })

  test('probe and version', async () => {
    await connection.probe('default')

    expect(await connection.version('default')).toBe(bench.version)
  })

  test('reach sends one request, which reads and is not a sign-in', async () => {
    await reach()

    const requests = await simulator.requests()
    expect(requests.map(({ method, body }) => ({ method, body: body ?? null }))).toEqual([
      { method: 'GET', body: null },
    ])
    expect(await simulator.signIns()).toEqual([])
  })

  test('reach fails if nobody is there, nothing answers, the controller boots or its certificate is another one', async () => {
    const reasonOf = (change: Partial<ControllerPlace>) =>
      reach(change).catch(({ failure, reason }) => [failure, reason])
    expect(await reasonOf({ address: `https://127.0.0.1:${await freePort()}` })).toEqual([
      'unreachable',
      'connection_refused',
    ])
    expect(await reasonOf({ address: 'https://controller.invalid' })).toEqual(['unreachable', 'name_unknown'])
    expect(await reasonOf({ certificatePin: Buffer.alloc(32) })).toEqual(['unreachable', 'certificate_changed'])
    expect(await reasonOf({ certificatePin: null })).toEqual(['unreachable', 'certificate_untrusted'])
    expect(await simulator.requests()).toEqual([])

    await simulator.behave({ booting: true })
    await expect(reach()).rejects.toMatchObject({ failure: 'failed' })
    await simulator.behave({ booting: false, hang: true })
    await expect(reach()).rejects.toMatchObject({ failure: 'timeout' })
  })

  test('sites: every site of the controller, each with ids that the other calls accept', async () => {
    const sites = await connection.sites('default')

    expect(sites.map(({ ids }) => ids[0]).toSorted()).toEqual(['branch', 'default', 'empty', 'many'])
    for (const id of sites.flatMap(({ ids }) => ids)) await connection.probe(id)
  })

  test.each(['forbidden', 'server-error', 'html-ok', 'truncated', 'huge', 'deep'])(
    'sites, fault %s: an error, never a part of the list',
    async (kind) => {
      await connection.sites('default')
      await simulator.fault(kind, { on: 'any' })

      await expect(connection.sites('default')).rejects.toMatchObject({ name: 'ControllerError' })
    },
  )

  test('nobody there, a name that does not resolve, wrong credentials, an unknown site: nothing was made', async () => {
    const attempt = (made: ControllerConnection, site = 'default') => createAndClaim(made, { site, shape })
    const nobody = connect({ address: `https://127.0.0.1:${await freePort()}` })
    const unresolved = connect({ address: 'https://controller.invalid' })
    const wrong = connect({ credentials: bench.wrongCredentials })

    await expect(attempt(nobody)).rejects.toEqual(controllerError('unreachable', 'refused'))
    await expect(attempt(unresolved)).rejects.toEqual(controllerError('unreachable', 'refused'))
    await expect(attempt(wrong)).rejects.toEqual(controllerError('sign_in', 'refused'))
    await expect(attempt(connection, 'nowhere')).rejects.toEqual(controllerError('missing', 'refused'))
    await expect(connection.probe('nowhere')).rejects.toEqual(controllerError('missing', 'refused'))
    await expect(listAll('nowhere')).rejects.toMatchObject({ failure: 'missing' })
  })

  test('a certificate that is not the pinned one, and one that nobody pinned: nothing is sent', async () => {
    await expect(listAll('default', connect({ certificatePin: Buffer.alloc(32) }))).rejects.toMatchObject({
      failure: 'unreachable',
    })
    await expect(listAll('default', connect({ certificatePin: null }))).rejects.toMatchObject({
      failure: 'unreachable',
    })
    expect(await simulator.requests()).toEqual([])
  })

  test.each([301, 302, 307, 308])(
    'an http:// address that redirects to https with %d: an error says so, and nothing is made',
    async (status) => {
      const { origin, pathname } = new URL(simulator.url)
      const server = createServer((request, response) =>
        response.writeHead(status, { location: `${origin}${request.url}` }).end(),
      )
      const insecure = connect({ address: `http://127.0.0.1:${await listen(server)}${pathname}`, certificatePin: null })

      await expect(createAndClaim(insecure, { site: 'default', shape })).rejects.toEqual(
        controllerError('insecure', 'refused'),
      )
      await expect(insecure.probe('default')).rejects.toThrow('Use its https:// address')
      expect(await simulator.requests()).toEqual([])
    },
  )

  test('while the controller boots: refused, and it works afterwards', async () => {
    const fresh = connect()
    await simulator.behave({ booting: true })
    await expect(createAndClaim(fresh, { site: 'default', shape })).rejects.toMatchObject({ outcome: 'refused' })
    await simulator.behave({ booting: false })

    expect(await createAndClaim(fresh, { site: 'default', shape })).toHaveLength(1)
  })

  test('an error contains no text of the reply and no credentials', async () => {
    const secrets = Object.values(bench.credentials)
    for (const kind of ['gateway-html', 'html-ok', 'forbidden', 'refuse', 'truncated']) {
      await simulator.fault(kind)
      const error = await create().catch((caught) => caught)
      const shown = `${error.message} ${error.stack} ${error.cause}`

      expect(shown).not.toMatch(/<html|<!doctype|x-api-key|api\.err|cookie/i)
      for (const secret of secrets) if (secret.length > 3) expect(shown).not.toContain(secret)
    }
  })
}
