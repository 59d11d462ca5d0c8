import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { call } from '#test/network/http-client.ts'

const app = await startApp()
const behindProxy = await startApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
const elsewhere = await startApp({ BASE_PATH: '/wlan/v1' })
const atRoot = await startApp({ BASE_PATH: '/' })

async function serverUrl(from: string, headers: Record<string, string> = {}, path = '/api/openapi.php') {
  const answer = await call(from + path, { headers })
  expect(answer.status).toBe(200)
  return answer.json().servers[0].url
}

test('a validator accepts the document as OpenAPI 3.0.3', async () => {
  const document = (await app.call('/api/openapi.php')).json()

  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(document.openapi).toBe('3.0.3')
})

test('the document is the committed one', async () => {
  const answer = await call(`${app.url}/api/openapi.php`, { headers: { host: 'vouchers.example' } })

  await expect(`${answer.text}\n`).toMatchFileSnapshot('openapi.snapshot.json')
})

test('200 without a key, as pretty-printed JSON with Unicode and slashes unescaped', async () => {
  const answer = await app.call('/api/openapi.php')

  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers.vary).toBe('Host')
  expect(answer.text).toContain('\n    "openapi": "3.0.3",\n')
  expect(answer.text).toContain('gültiger')
  expect(answer.text).toContain('"/vouchers.php": {')
  expect(answer.text).not.toMatch(/\\u|\\\//)
})

test('the key is not checked and requests are not limited', async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => app.call('/api/openapi.php', { key: 'vsk_wrong' })),
  )

  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect(answers[0]?.headers).not.toHaveProperty('ratelimit')
})

test('info, security schemes and the global security requirement', async () => {
  const { info, components, security } = (await app.call('/api/openapi.php')).json()

  expect(info).toEqual({ title: expect.any(String), version: '1.0.0', description: expect.any(String) })
  expect(components.securitySchemes).toEqual({
    bearerAuth: { type: 'http', scheme: 'bearer' },
    apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  })
  expect(security).toEqual([{ bearerAuth: [] }, { apiKeyAuth: [] }])
})

test('exactly the specified paths, methods, parameters and responses', async () => {
  const { paths } = (await app.call('/api/openapi.php')).json()
  const { get, post } = paths['/vouchers.php']
  const body = post.requestBody.content['application/json'].schema

  expect(Object.keys(paths)).toEqual(['/sites.php', '/vouchers.php'])
  expect(Object.keys(paths['/sites.php'])).toEqual(['get'])
  expect(Object.keys(paths['/vouchers.php'])).toEqual(['get', 'post'])
  expect(get.parameters).toEqual([{ name: 'site_id', in: 'query', required: true, schema: { type: 'integer' } }])
  expect(get.responses['200'].description).toMatch(/Liste der Voucher/)
  expect(post.requestBody.required).toBe(true)
  expect(body.required).toEqual(['site_id', 'name'])
  expect(body.properties).toEqual({
    site_id: { type: 'integer' },
    name: { type: 'string' },
    max_uses: { type: 'integer', default: 1 },
    expire_minutes: { type: 'integer', default: 480 },
    qos: {
      type: 'object',
      properties: { down: { type: 'integer' }, up: { type: 'integer' }, quota_mb: { type: 'integer' } },
    },
  })
  expect(Object.keys(post.responses)).toEqual(['201', '401', '403', '429'])
})

test('servers[0].url: scheme, Host header, directory', async () => {
  expect(await serverUrl(app.url, { host: 'wlan.hotel.example:8443' })).toBe('http://wlan.hotel.example:8443/api')
  expect(await serverUrl(app.url, { host: '[2001:db8::1]:80' })).toBe('http://[2001:db8::1]:80/api')
  expect(await serverUrl(elsewhere.url, { host: 'x' }, '/wlan/v1/openapi.php')).toBe('http://x/wlan/v1')
  expect(await serverUrl(atRoot.url, { host: 'x' }, '/openapi.php')).toBe('http://x')
})

test('https is accepted only from a trusted proxy', async () => {
  const forwarded = { host: 'x', 'x-forwarded-proto': 'https' }

  expect(await serverUrl(behindProxy.url, forwarded)).toBe('https://x/api')
  expect(await serverUrl(app.url, forwarded)).toBe('http://x/api')
  expect(await serverUrl(behindProxy.url, { host: 'x', 'x-forwarded-proto': 'javascript' })).toBe('http://x/api')
  expect(await serverUrl(behindProxy.url, { host: 'x', 'x-forwarded-host': 'evil' })).toBe('http://x/api')
})

test.each(['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
  '405: %s /openapi.php, without a key',
  async (method) => {
    const answer = await app.call('/api/openapi.php', { method })

    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET')
  },
)
