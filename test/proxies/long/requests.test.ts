import { Agent } from 'node:https'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { pngOfBytes } from '#test/data/images.ts'
import { seedKey, seedManyVouchers, seedPerson, seedSite } from '#test/data/seed.ts'
import { queryServer } from '#test/data/template-database.ts'
import { type Call, call } from '#test/network/http-client.ts'
import { startService } from '#test/service.ts'
import { host, type RunningProxy, startCaddy, startHaproxy, startNginx } from '../start-proxy.ts'

const origin = `https://${host}`
const settings = { PUBLIC_URL: origin, TRUSTED_PROXIES: '127.0.0.1' }
const password = 'four random words here'
const clientAddress = '127.0.0.5'
const proxies = [
  ['nginx', startNginx],
  ['Caddy', startCaddy],
  ['HAProxy', startHaproxy],
] as const

/** Caddy checks whether the apis are ready, and logs this when one is not. nginx checks nothing, and HAProxy only whether they run. */
const notReady = { nginx: '', Caddy: 'health_checker.active', HAProxy: '' }

function clientOf({ httpsPort, ca }: RunningProxy) {
  const agent = new Agent({ ca, servername: host, localAddress: clientAddress })
  return (path: string, { headers, ...options }: Call = {}) =>
    call(`https://127.0.0.1:${httpsPort}${path}`, {
      ...options,
      agent,
      headers: { host, origin, 'content-type': 'application/json', ...headers },
    })
}

test.each(proxies)('%s: redirects, cookies, addresses, uploads, exports and logs', async (_, start) => {
  const app = await startApp(settings)
  const site = await seedSite(app.db)
  await seedManyVouchers(app.db, site, 5_000)
  const { email } = await seedPerson(app.db, { role: 'admin', password })
  const { key } = await seedKey(app.db, { scope: 'manage' })
  const proxy = await start([app.url, app.url])
  const send = clientOf(proxy)
  const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }

  const redirected = await call(`http://127.0.0.1:${proxy.httpPort}/desk?a=1`, { headers: { host } })
  const body = JSON.stringify({ email, password })
  const signedIn = await send('/api/v2/session', { method: 'POST', headers: forged, body })
  const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] as string
  const renamed = await send(`/api/v2/sites/${site}`, {
    method: 'PATCH',
    headers: { ...forged, cookie },
    body: JSON.stringify({ name: 'Adler' }),
  })
  const { entries } = (await send('/api/v2/audit?action=site.changed', { headers: { cookie } })).json()
  const uploaded = await send(`/api/v2/sites/${site}/logo`, {
    method: 'PUT',
    headers: { 'x-api-key': key, 'content-type': 'image/png' },
    body: pngOfBytes(256 * 1024),
  })
  const exported = await send('/api/v2/vouchers.csv?text=Gast', { headers: { 'x-api-key': key } })
  const searched = await send('/api/v2/vouchers?text=Meier', { headers: { 'x-api-key': key } })

  expect([redirected.status, redirected.headers.location]).toEqual([308, `${origin}/desk?a=1`])
  expect([signedIn.status, signedIn.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
  expect(String(signedIn.headers['set-cookie'])).toMatch(/^__Host-voucher-session=.*; Secure$/)
  expect([renamed.status, entries[0]?.address]).toEqual([200, clientAddress])
  expect(uploaded.status).toBe(204)
  expect([exported.status, exported.text.trim().split('\n').length]).toEqual([200, 5_001])
  expect(searched.status).toBe(200)
  await expect.poll(proxy.readLogs).toContain('/api/v2/vouchers"')
  expect(proxy.readLogs()).not.toMatch(new RegExp(`Meier|${key}|${cookie}`))
})

test.each(proxies)(
  '%s: while PostgreSQL is away, an api says so itself, and no log shows a query',
  async (name, start) => {
    const { db } = await startApp()
    const { key } = await seedKey(db)
    const api = await startService(db.url, settings)
    const proxy = await start([api.url, api.url])
    const send = clientOf(proxy)
    const list = () => send('/api/v2/vouchers?text=Meier', { headers: { 'x-api-key': key } })
    expect((await list()).status).toBe(200)

    await queryServer(`drop database ${new URL(db.url).pathname.slice(1)} with (force)`)
    await expect.poll(async () => (await call(`${api.url}/readyz`)).status).toBe(503)
    await expect.poll(proxy.readLogs).toContain(notReady[name])
    const answers = [await list(), await list(), await list()]
    await api.stop()
    const stopped = await list()

    for (const { status, text } of answers) expect([status, JSON.parse(text).error]).toEqual([503, expect.any(String)])
    expect([502, 503]).toContain(stopped.status)
    expect(proxy.readLogs()).not.toMatch(new RegExp(`Meier|${key}`))
  },
)
