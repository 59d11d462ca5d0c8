import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { webPaths } from './web.ts'

const parent = mkdtempSync(join(tmpdir(), 'web-'))
onFileEnd(() => rm(parent, { recursive: true }))
const folder = join(parent, 'web')
mkdirSync(join(folder, 'assets'), { recursive: true })
writeFileSync(join(parent, 'secret.js'), 'secret')
const html = '<!doctype html><title>App</title><script type="module" crossorigin src="/assets/app-1a2b.js"></script>'
writeFileSync(join(folder, 'index.html'), html)
writeFileSync(
  join(folder, 'first-pages.json'),
  JSON.stringify({ pages: { de: {}, en: {} }, notices: {}, styles: '', files: {}, texts: {} }),
)
writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
writeFileSync(join(folder, '.stamp'), 'stamp')
writeFileSync(join(folder, 'assets/app-1a2b.js'), 'start()')
writeFileSync(join(folder, 'assets/app-1a2b.js.gz'), gzipSync('start()'))

const app = await startApp({}, { webFolder: folder })
const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const script = `${app.url}/assets/app-1a2b.js`

test.each(['/', ...webPaths])('%s is the page, which browsers never store', async (path) => {
  const answer = await call(app.url + path, { headers: asPerson })

  expect(answer).toMatchObject({ status: 200, text: html })
  expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
})

test('the page may load only from this service and nobody may frame it', async () => {
  const { headers } = await call(`${app.url}/desk`, { headers: asPerson })

  expect(headers['content-security-policy']).toBe(
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; " +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
  )
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' })
})

test('programs still get JSON at /', async () => {
  const answer = await call(app.url)

  expect(answer.json()).toMatchObject({ api: '/api/v2' })
  expect(answer.headers['vary']).toContain('Accept')
})

test('files with a hash in their name are cached for a year; browsers check others for changes', async () => {
  const [hashed, other] = [await call(script), await call(`${app.url}/favicon.svg`)]

  expect([hashed.status, hashed.text]).toEqual([200, 'start()'])
  expect(hashed.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  })
  expect(other.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'public, no-cache' })
})

test('a compressed copy is sent to clients that accept it', async () => {
  const answer = await fetch(script, { headers: { 'accept-encoding': 'gzip' } })
  const encodings = async (accepted: string) =>
    (await call(script, { headers: { 'accept-encoding': accepted } })).headers['content-encoding']

  expect(await answer.text()).toBe('start()')
  expect(await encodings('br, gzip')).toBe('gzip')
  expect(await encodings('gzip;q=0')).toBeUndefined()
  expect(await encodings('identity')).toBeUndefined()
})

test.each([{}, { 'accept-encoding': 'gzip' }])(
  'HEAD has the headers of GET, and 304 answers the ETag: %j',
  async (headers) => {
    const got = await call(script, { headers })
    const head = await call(script, { method: 'HEAD', headers })
    const again = await call(script, { headers: { ...headers, 'if-none-match': got.headers.etag as string } })

    expect([head.status, head.text, again.status, again.text]).toEqual([200, '', 304, ''])
    expect(again.headers.etag).toBe(got.headers.etag)
  },
)

test.each([
  '/assets/../../secret.js',
  '/assets/..%2f..%2fsecret.js',
  '/..%5csecret.js',
  '/assets/%2e%2e/%2e%2e/secret.js',
  '/.stamp',
  '/index.html',
  '/first-pages.json',
  '/assets/app-1a2b.js.gz',
  '/assets/',
  '/assets/other.js',
])('%s is not found', async (path) => {
  const answer = await call(app.url + path)

  expect([answer.status, answer.json().error]).toEqual([404, 'not_found'])
})

test('an unknown path is a page for people and JSON for programs; unknown paths of the APIs stay JSON', async () => {
  const seen = async (path: string, headers: Record<string, string>) => {
    const answer = await call(app.url + path, { headers })
    return [answer.status, answer.headers['content-type']]
  }

  expect(await seen('/nowhere', asPerson)).toEqual([404, 'text/html; charset=utf-8'])
  expect(await seen('/nowhere', {})).toEqual([404, 'application/json; charset=utf-8'])
  for (const path of ['/api', '/api?x', '/api/nowhere.php', '/api/v2/nowhere'])
    expect(await seen(path, asPerson)).toEqual([404, 'application/json; charset=utf-8'])
})

test('405: the page and the files can only be read', async () => {
  for (const path of ['/desk', '/assets/app-1a2b.js']) {
    const answer = await call(app.url + path, { method: 'POST' })
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD'])
  }
})

test('the router of the app has exactly the paths that the service answers', async () => {
  const router = await readFile(new URL('../../web/src/router.tsx', import.meta.url), 'utf8')
  const paths = [...router.matchAll(/path: '([^']+)'/g)].map(([, path]) => (path as string).replaceAll('$', ':'))

  expect(paths.filter((path) => path !== '/').toSorted()).toEqual(webPaths.toSorted())
})

test('answers to the web app name its script, so that an open page notices an update', async () => {
  const ofBrowser = await call(`${app.url}/api/v2/session`, { headers: { cookie: 'voucher-session=x' } })
  const rejected = await call(`${app.url}/api/v2/sites`, { headers: { cookie: 'voucher-session=x' } })
  const ofProgram = await call(`${app.url}/api/v2/session`)

  expect([ofBrowser, rejected].map(({ status, headers }) => [status, headers['web-app']])).toEqual([
    [200, '/assets/app-1a2b.js'],
    [401, '/assets/app-1a2b.js'],
  ])
  expect(ofProgram.headers).not.toHaveProperty('web-app')
})
