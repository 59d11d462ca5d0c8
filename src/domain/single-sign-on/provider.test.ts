import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { machineClock } from '#lib/clock.ts'
import { createCookieJar } from '#test/network/cookie-jar.ts'
import { type OidcProvider, startOidcProvider } from '#test/network/oidc-provider.ts'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { callbackPath, createProvider } from './provider.ts'

const publicUrl = 'http://localhost:18080'
const anna = { sub: 'anna', email: 'anna@adler.example', name: 'Anna Weber', groups: ['empfang'] }

/** A provider, and the whole way of a sign-in there. Every address may be connected to. */
async function start() {
  const client = { clientId: 'vouchers', clientSecret: 'a secret that only this test knows' }
  const redirectUrl = publicUrl + callbackPath
  const server = await startOidcProvider({ ...client, redirectUrl, accounts: [anna] })
  const provider = createProvider({
    ...client,
    issuer: server.issuer,
    publicUrl,
    name: undefined,
    scopes: 'openid profile email',
    hostedDomain: undefined,
    addressPolicy: { allows: () => true },
    clock: machineClock,
  })
  onFileEnd(() => provider.close())
  const signIn = async ({ again = false } = {}) => {
    const { url, secrets } = await provider.begin()
    const { url: callback } = await createCookieJar().follow(url, (to) => to.startsWith(publicUrl))
    return provider.finish(new URL(callback).searchParams, secrets, { claim: 'groups', again })
  }
  return { server, signIn }
}

/** Changes the metadata of the provider. */
const rewriteMetadata = (server: OidcProvider, more: object) => {
  server.rewriteJson = (path, body) => (path.includes('openid-configuration') ? { ...body, ...more } : body)
}

test('each sign-in asks whether the provider answers; the keys are read once', async () => {
  const { server, signIn } = await start()
  for (let n = 0; n < 3; n++) expect(await signIn()).toMatchObject({ sub: 'anna' })

  const count = (path: string) => server.requests.filter((request) => request === `GET ${path}`).length
  expect([count('/.well-known/openid-configuration'), count('/jwks')]).toEqual([3, 1])
})

test('claims of the signed token take precedence over those of the userinfo endpoint', async () => {
  const { server, signIn } = await start()
  server.rewriteToken = (token, sign) => {
    const { name, ...claims } = token.claims
    return sign({ ...token, claims })
  }
  server.rewriteJson = (path, body) =>
    path === '/me' ? { ...body, groups: ['wifi-admins'], email: 'evil@adler.example' } : body

  expect(await signIn()).toMatchObject({ name: 'Anna Weber', groups: ['empfang'], email: 'anna@adler.example' })
})

test.each([
  [300, 'accepted'],
  [400, 'rejected'],
])('to sign in again, a sign-in %i s ago is %s', async (age, outcome) => {
  const { server, signIn } = await start()
  server.rewriteToken = (token, sign) =>
    sign({ ...token, claims: { ...token.claims, auth_time: Math.floor(Date.now() / 1000) - age } })
  const result = signIn({ again: true })

  if (outcome === 'accepted') await expect(result).resolves.toMatchObject({ sub: 'anna' })
  else await expect(result).rejects.toThrow('provider_answer_invalid')
})

describe('answers of the provider', () => {
  test('redirects are not followed', async () => {
    const { server, signIn } = await start()
    const redirecting = createServer((_, response) =>
      response.writeHead(302, { location: `${server.issuer}/jwks` }).end(),
    )
    rewriteMetadata(server, { jwks_uri: `http://127.0.0.1:${await listen(redirecting)}/jwks` })

    await expect(signIn()).rejects.toThrow('provider_unreachable')
    expect(server.requests).not.toContain('GET /jwks')
  })

  test('an answer of more than 1 MiB is not read', async () => {
    const { server, signIn } = await start()
    rewriteMetadata(server, { padding: 'x'.repeat(2 * 1024 * 1024) })

    await expect(signIn()).rejects.toThrow('provider_unreachable')
  })

  test('plain http is accepted only from this machine itself', async () => {
    const { server, signIn } = await start()
    // An address that is not loopback by its name, but reaches this machine.
    rewriteMetadata(server, { jwks_uri: `${server.issuer.replace('127.0.0.1', '0.0.0.0')}/jwks` })

    await expect(signIn()).rejects.toThrow('provider_unreachable')
    expect(server.requests).not.toContain('GET /jwks')
  })
})
