import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { call } from '#test/network/http-client.ts'

const app = await startApp()
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const page = await call(app.url, { headers: browser })

test('programs get JSON without a key, with paths that exist', async () => {
  const answer = await call(app.url)

  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  expect(answer.headers.vary).toBe('Accept, Accept-Language, Accept-Encoding')
  const { name, api, ...paths } = answer.json()
  expect([name, api]).toEqual(['Voucher Service', '/api/v2'])
  for (const path of Object.values<string>(paths)) expect((await call(app.url + path)).status).toBe(200)
})

test('people get a page in their language, with links that work', async () => {
  const german = await call(app.url, { headers: { ...browser, 'accept-language': 'de-DE' } })
  const links = [...page.text.matchAll(/href="([^"]*)"/g)].map(([, to]) => to as string)

  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.text).toContain('<html lang="en">')
  expect(page.text).toContain('API reference')
  expect(german.text).toContain('<html lang="de">')
  expect(german.text).toContain('API-Referenz')
  expect(links).toEqual(['/reference', '/api/v2/openapi.json', '/healthz', '/readyz'])
  for (const path of links) expect((await call(app.url + path)).status).toBe(200)
})

test('the page says how to build the web app', async () => {
  const german = await call(app.url, { headers: { ...browser, 'accept-language': 'de-DE' } })

  expect(page.text).toContain('The web app is not built yet.')
  expect(german.text).toContain('Die Web-App ist noch nicht gebaut.')
  for (const { text } of [page, german]) expect(text).toContain('<code>npm run build:web</code>')
})

test('the page loads nothing and runs nothing; the policy allows only its stylesheet', () => {
  const style = /<style>([\s\S]*)<\/style>/.exec(page.text)?.[1] as string
  const hash = createHash('sha256').update(style).digest('base64')

  expect(page.headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(page.text).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b|\son\w+=|\sstyle=|\/\//i)
})

test('405: any other method', async () => {
  const answer = await call(app.url, { method: 'POST' })

  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
})
