import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { operations } from '../v2/register-v2.ts'
import { referencePage } from './reference-page.ts'

const app = await startApp()
const url = `${app.url}/reference`
const ownUrl = app.url.replace('127.0.0.1', 'localhost')
const page = await call(url)
const linked = [...page.text.matchAll(/\s(?:href|src|srcset|action|data|poster)="([^"]*)"/g)].map(
  ([, to]) => to as string,
)
const ids = [...page.text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id as string)

test('200 without a key and without a limit; 304 for a client that has it already; 405 for any other method', async () => {
  const again = await call(url, { headers: { 'if-none-match': page.headers.etag as string } })
  const posted = await call(url, { method: 'POST' })
  report('bytes of the reference page', page.text.length)

  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers).not.toHaveProperty('ratelimit')
  expect(page.headers).toMatchObject({ 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' })
  expect([again.status, again.text, again.headers['content-length']]).toEqual([304, '', undefined])
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
})

test('the page is self-contained: no script, nothing to load, one stylesheet that the policy allows by its hash', () => {
  const style = /<style>([\s\S]*)<\/style>/.exec(page.text)?.[1] as string
  const hash = createHash('sha256').update(style).digest('base64')

  expect(page.headers).toMatchObject({
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  expect(page.text).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b|\son\w+=|\sstyle=/i)
  expect(style).not.toMatch(/url\(|@import|\/\//)
  const withoutBodies = page.text.replace(/-d &#39;.*?&#39;/g, '').replace(/&quot;.*?&quot;/g, '') // and without texts of answers
  expect([...withoutBodies.matchAll(/\w+:\/\/[^\s<]+/g)].map(String)).toEqual([`${ownUrl}/api/v2`])
})

test('every link leads to a part of the page or to the OpenAPI document; every part is there once', () => {
  const inside = linked.filter((to) => to !== '/api/v2/openapi.json')

  expect(linked).toContain('/api/v2/openapi.json')
  expect(inside.filter((to) => !ids.includes(to.replace(/^#/, '')) || !to.startsWith('#'))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(operations.map(({ operationId }) => operationId)))
})

test('every element is closed, in order', () => {
  const open: string[] = []
  for (const [, end, name] of page.text.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
    if (end) expect(open.pop()).toBe(name)
    else if (name !== 'meta' && name !== 'br') open.push(name as string)
  }

  expect(open).toEqual([])
})

test('the page names PUBLIC_URL, or this machine, and never the Host of the request', async () => {
  const elsewhere = await startApp({ PUBLIC_URL: 'https://vouchers.example' })
  const [own, named] = [page, await call(`${elsewhere.url}/reference`, { headers: { host: 'other.example' } })]

  expect(own.text).toContain(`API=${ownUrl}/api/v2\n`)
  expect(named.text).toContain('API=https://vouchers.example/api/v2\n')
  expect(named.text).not.toContain('other.example')
})

test('texts of operations are escaped, whatever they contain', () => {
  const hostile = `</style><img src=x onerror=alert(1)>"'&`
  const [first] = operations
  const operation = { ...(first as (typeof operations)[number]), summary: hostile, path: `/${hostile}` }
  const markup = referencePage([operation], hostile)

  expect(markup).not.toContain('<img')
  expect(markup).toContain('&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
})
