import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { timeLimit } from '#test/measuring.ts'
import { exchange } from '#test/network/sockets.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })

const openapi = (...headers: string[]) =>
  ['GET /api/openapi.php HTTP/1.1', ...headers, 'Connection: close', '', ''].join('\r\n')
const post = (...lines: string[]) =>
  ['POST /api/vouchers.php HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, ...lines].join('\r\n')

const refusedHosts: [string, string][] = [
  ['two Host headers', openapi('Host: a', 'Host: b')],
  ['two equal Host headers', openapi('Host: a', 'Host: a')],
  ['two Host headers in other cases', openapi('Host: a', 'hOST: b')],
  ['an empty Host', openapi('Host:')],
  ['a list', openapi('Host: a, b')],
  ['a user name', openapi('Host: user@a')],
  ['a password', openapi('Host: user:pw@a')],
  ['a path', openapi('Host: a/b')],
  ['a scheme', openapi('Host: http://a')],
  ['a query', openapi('Host: a?b')],
  ['a fragment', openapi('Host: a#b')],
  ['a backslash', openapi('Host: a\\b')],
  ['a space', openapi('Host: a b')],
  ['a tab', openapi('Host: a\tb')],
  ['a quote', openapi('Host: a"b')],
  ['markup', openapi('Host: <script>')],
  ['an encoded slash', openapi('Host: a%2fb')],
  ['a port without digits', openapi('Host: a:')],
  ['a port of letters', openapi('Host: a:http')],
  ['port 0', openapi('Host: a:0')],
  ['port 65536', openapi('Host: a:65536')],
  ['a negative port', openapi('Host: a:-1')],
  ['two ports', openapi('Host: a:1:2')],
  ['a bare IPv6 address', openapi('Host: 2001:db8::1')],
  ['an unclosed bracket', openapi('Host: [2001:db8::1')],
  ['a zone', openapi('Host: [fe80::1%25eth0]')],
  ['no IPv6 in the brackets', openapi('Host: [a.example]')],
  ['two dots', openapi('Host: a..b')],
  ['a leading dot', openapi('Host: .a')],
  ['Latin-1', openapi('Host: h\xe4user')],
  ['254 characters', openapi(`Host: ${'a.'.repeat(127)}`)],
  ['an address as target', `GET http://evil/api/openapi.php HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`],
  ['another authority as target', `GET //evil/api/openapi.php HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`],
]

test.each(refusedHosts)('400, Host: %s', async (_what, request) => {
  const { statuses, text } = await exchange(app.url, request)

  expect(statuses).toEqual([400])
  expect(text).toContain('{"error":"invalid_request","message":"Anfrage nicht lesbar"}')
  expect(text.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
})

const reflected: [string, string][] = [
  ['localhost', 'localhost'],
  ['a.example', 'a.example'],
  ['A.Example:8080', 'A.Example:8080'],
  ['under_score.example', 'under_score.example'],
  ['a.example.', 'a.example.'],
  ['127.0.0.1:1', '127.0.0.1:1'],
  ['[::1]', '[::1]'],
  ['[2001:db8::1]:65535', '[2001:db8::1]:65535'],
  ['xn--huser-gra.example', 'xn--huser-gra.example'],
]

test.each(reflected)('200, Host: %s is reflected', async (host, authority) => {
  const { statuses, body } = await exchange(app.url, openapi(`Host: ${host}`))

  expect(statuses).toEqual([200])
  expect(JSON.parse(body).servers[0].url).toBe(`http://${authority}/api`)
})

test.each(['HTTP/1.1', 'HTTP/1.0'])('200 without a Host header in %s: localhost', async (version) => {
  const { body } = await exchange(app.url, `GET /api/openapi.php ${version}\r\nConnection: close\r\n\r\n`)

  expect(JSON.parse(body).servers[0].url).toBe('http://localhost/api')
})

/** Each input contains a second request. A server that ends the first request elsewhere would answer the second one. */
const second = 'GET /api/openapi.php HTTP/1.1\r\nHost: smuggled\r\n\r\n'
const smuggling: [string, string][] = [
  [
    'Content-Length and Transfer-Encoding',
    post('Content-Length: 4', 'Transfer-Encoding: chunked', '', `0\r\n\r\n${second}`),
  ],
  [
    'Transfer-Encoding and Content-Length',
    post('Transfer-Encoding: chunked', 'Content-Length: 4', '', `0\r\n\r\n${second}`),
  ],
  ['two Content-Lengths', post('Content-Length: 0', 'Content-Length: 4', '', second)],
  ['a list of lengths', post('Content-Length: 0, 4', '', second)],
  ['a negative length', post('Content-Length: -1', '', second)],
  ['a signed length', post('Content-Length: +4', '', second)],
  ['a hexadecimal length', post('Content-Length: 0x4', '', second)],
  ['an endless length', post('Content-Length: 99999999999999999999999', '', second)],
  ['a space before the colon', post('Content-Length : 4', '', second)],
  ['an unknown encoding', post('Transfer-Encoding: xchunked', '', second)],
  ['chunked, then identity', post('Transfer-Encoding: chunked, identity', '', `0\r\n\r\n${second}`)],
  ['encoding behind a control character', post('Transfer-Encoding: \x0bchunked', '', `0\r\n\r\n${second}`)],
  ['a folded header', post('Transfer-Encoding:', ' chunked', '', `0\r\n\r\n${second}`)],
  ['a bad chunk size', post('Transfer-Encoding: chunked', '', `z\r\n\r\n${second}`)],
  ['a bare line feed in the headers', post('X-A: b\nContent-Length: 4', '', second)],
  ['a bare carriage return', post('X-A: b\rContent-Length: 4', '', second)],
  ['a null in a header', post('X-A: b\0c', '', second)],
  ['a header without a name', post(': x', '', second)],
  ['an unknown method', `BREW /api/openapi.php HTTP/1.1\r\nHost: x\r\n\r\n${second}`],
  ['an unknown version', `GET /api/openapi.php HTTP/3.7\r\nHost: x\r\n\r\n${second}`],
  ['HTTP/0.9', `GET /api/openapi.php\r\n\r\n${second}`],
  ['TLS instead of HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['CONNECT', `CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n${second}`],
]

test.each(smuggling)('%s: the request is rejected, and nothing after it is answered', async (_what, request) => {
  const { statuses, text } = await exchange(app.url, request)

  expect(text).not.toContain('smuggled')
  expect(statuses.filter((status) => status < 400)).toEqual([])
  expect(statuses.length).toBeLessThanOrEqual(1)
})

test('headers over 8 KiB get 431 in the common shape of errors', async () => {
  const { statuses, body } = await exchange(app.url, openapi('Host: x', `X-Long: ${'a'.repeat(9_000)}`))

  expect(statuses).toEqual([431])
  expect(JSON.parse(body)).toEqual({ error: 'headers_too_large', message: expect.any(String) })
})

test('two requests in one write get two answers, in order', async () => {
  const { statuses } = await exchange(app.url, `GET /api/nope HTTP/1.1\r\nHost: x\r\n\r\n${openapi('Host: x')}`)

  expect(statuses).toEqual([404, 200])
})

test('garbage after a request is rejected after the answer to the request, not instead of it', async () => {
  const first = `GET /api/sites.php HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
  const { statuses } = await exchange(app.url, `${first}GARBAGE\r\n\r\n`)

  expect(statuses).toEqual([200, 400])
})

test('a malformed chunked body is rejected at once', async () => {
  const { statuses, closedAfterMs } = await exchange(app.url, post('Transfer-Encoding: chunked', '', 'z\r\n'), 5_000)

  expect(statuses).toEqual([400])
  expect(closedAfterMs).toBeLessThan(timeLimit(3_000))
})

test('Expect: 100-continue is answered only after the key was accepted', async () => {
  const head = (withKey: string) =>
    `POST /api/vouchers.php HTTP/1.1\r\nHost: x\r\nX-API-Key: ${withKey}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`

  expect((await exchange(app.url, head('vsk_wrong'))).statuses).toEqual([401])
  expect((await exchange(app.url, `${head(key)}{}`, 2_000)).statuses).toEqual([100, 400])
})

test('any other expectation gets 417 in the common shape of errors', async () => {
  const { statuses, body } = await exchange(app.url, openapi('Host: x', 'Expect: foo'))

  expect(statuses).toEqual([417])
  expect(JSON.parse(body).error).toBe('invalid_request')
})
