import { describe, expect, test, vi } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const writing = (await seedKey(app.db, { scope: 'write' })).key

test.each([
  [undefined, 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
  ['de-DE,de;q=0.9,en;q=0.8', 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
  ['fr', 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
  ['en', 'A valid API key is required', 'en'],
  ['fr, en-GB;q=0.7, de;q=0.3', 'A valid API key is required', 'en'],
  ['en;q=0', 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
  [';;,=q', 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
])('the language of %s', async (acceptLanguage, message, language) => {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  const answer = await app.call('/api/v2/sites', { headers })

  expect(answer.status).toBe(401)
  expect(answer.json()).toEqual({ error: 'unauthorized', message, request_id: answer.headers['x-request-id'] })
  expect(answer.headers).toMatchObject({
    'content-language': language,
    vary: 'Accept-Language',
    'www-authenticate': 'Bearer realm="vouchers"',
  })
})

describe('400', () => {
  test.each([
    ['/vouchers?limit=0', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=201', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=1e400', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=0x5', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=1e1', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=5.0', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=%205', 'The parameter limit is missing or invalid'],
    ['/vouchers?site_id=1&site_id=0x1', 'The parameter site_id is missing or invalid'],
    ['/vouchers?site_id=1&site_id=-1e400', 'The parameter site_id is missing or invalid'],
    ['/vouchers/lookup?code=1&site_id=1e400', 'The parameter site_id is missing or invalid'],
    ['/vouchers?limit=1&limit=2', 'The parameter limit is missing or invalid'],
    ['/vouchers?limit=', 'The parameter limit is missing or invalid'],
    ['/vouchers?site_id=0', 'The parameter site_id is missing or invalid'],
    ['/vouchers?site_id=2147483648', 'The parameter site_id is missing or invalid'],
    ['/vouchers?site_id=1&site_id=x', 'The parameter site_id is missing or invalid'],
    ['/vouchers?status=good', 'The parameter status is missing or invalid'],
    ['/vouchers?text=%00', 'The parameter text is missing or invalid'],
    ['/vouchers?source=urn:uuid:00000000-0000-7000-8000-000000000000', 'The parameter source is missing or invalid'],
    ['/vouchers?text=', 'The parameter text is missing or invalid'],
    ['/vouchers?source=me', 'The parameter source is missing or invalid'],
    ['/vouchers?code=-', 'The parameter code is missing or invalid'],
    ['/vouchers?created_after=yesterday', 'The parameter created_after is missing or invalid'],
    ['/vouchers?created_before=2026-12-31T23:59:60Z', 'The parameter created_before is missing or invalid'],
    ['/vouchers?cursor=', 'The parameter cursor is missing or invalid'],
    ['/vouchers?cursor=MQ', 'The parameter cursor is missing or invalid'],
    ['/vouchers?cursor=garbage', 'The parameter cursor is missing or invalid'],
    ['/sites?cursor=garbage', 'The parameter cursor is missing or invalid'],
    ['/vouchers?staus=valid', 'There is no parameter staus here'],
    ['/vouchers?site_id[]=1', 'There is no parameter ? here'],
    ['/vouchers?__proto__=1', 'There is no parameter __proto__ here'],
    ['/sites/1?name=x', 'There is no parameter name here'],
    ['/vouchers/lookup?site_id=1', 'The parameter code is missing or invalid'],
    ['/vouchers/lookup?code=1', 'The parameter site_id is missing or invalid'],
  ])('%s', async (path, message) => {
    const answer = await app.call(`/api/v2${path}`, { key, headers: { 'accept-language': 'en' } })

    expect([answer.status, answer.json().error, answer.json().message]).toEqual([400, 'invalid_request', message])
  })

  test.each([
    ['POST', '/batches/1-x/cancel', '{"rows":[1]}', 'There is no parameter rows here'],
    ['POST', '/batches/1-x/retry', '{"rows":[1]}', 'There is no parameter rows here'],
    ['DELETE', '/vouchers/1-x', '{"reason":"x"}', 'There is no parameter reason here'],
    ['POST', '/vouchers', '{"site_id":1,"name":"x","__proto__":{}}', 'There is no parameter __proto__ here'],
    ['POST', '/revocations', '{"filter":{"text":"x","__proto__":1}}', 'There is no parameter filter.__proto__ here'],
    ['POST', '/batches/1-x/cancel', '[]', 'The request cannot be read'],
  ])('%s %s with %s', async (method, path, body, message) => {
    const answer = await app.call(`/api/v2${path}`, {
      method,
      body,
      key: writing,
      headers: { 'accept-language': 'en', 'content-length': String(body.length) }, // for DELETE, Node adds none
    })

    expect([answer.status, answer.json().message]).toEqual([400, message])
  })

  test('a broken percent-encoding, in the format of this API', async () => {
    const answer = await app.call('/api/v2/sites/%zz', { key })

    expect([answer.status, answer.json().message]).toEqual([400, 'Anfrage nicht lesbar'])
  })

  test('two Host headers or an invalid one, in the format of this API', async () => {
    const answer = await call(`${app.url}/api/v2/sites`, { headers: { host: 'a b' } })

    expect([answer.status, Object.keys(answer.json())]).toEqual([400, ['error', 'message', 'request_id']])
  })
})

test.each(['/api/v2', '/api/v2/', '/api/v2/nothing', '/api/v2/vouchers/1/2', `/api/v2/sites/${'1'.repeat(200)}`])(
  '404 without a key check: %s',
  async (path) => {
    const answer = await app.call(path)

    expect([answer.status, answer.json().message]).toEqual([404, 'Endpunkt nicht gefunden'])
  },
)

test.each([
  '/sites/',
  '/sites/0',
  '/sites/x',
  '/sites/2147483648',
  '/sites/1e3',
  '/vouchers/1',
  '/vouchers/1-x',
  '/vouchers/%00',
])('404: %s can be nobody', async (path) => {
  const answer = await app.call(`/api/v2${path}`, { key })

  expect([answer.status, answer.json().message]).toEqual([404, 'Nicht gefunden'])
})

test('429 with the headers of the limit, which both APIs share', async () => {
  const limited = (await seedKey(app.db, { rateLimit: 3 })).key
  await app.call('/api/sites.php', { key: limited })
  const first = await app.call('/api/v2/sites', { key: limited })
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"per-key";q=3;w=60',
    ratelimit: expect.stringContaining('r=1;'),
  })
  expect((await app.call('/api/v2/vouchers?limit=x', { key: limited })).status).toBe(400)

  const answer = await app.call('/api/v2/sites', { key: limited })

  expect([answer.status, answer.json().error]).toEqual([429, 'rate_limited'])
  expect(answer.headers).toMatchObject({
    'retry-after': expect.stringMatching(/^\d+$/),
    ratelimit: expect.stringContaining('r=0;'),
  })
})

test('503 while the database cannot be reached, 500 for an unforeseen error; neither says why', async () => {
  const query = vi.spyOn(app.context.db, 'query')
  const answerTo = (error: Error) => {
    query.mockRejectedValueOnce(error)
    return app.call('/api/v2/sites', { key })
  }

  const lost = await answerTo(new Unavailable('PostgreSQL is out of reach at 10.0.0.7'))
  expect([lost.status, lost.json().error, lost.headers['retry-after']]).toEqual([503, 'unavailable', '5'])
  const broken = await answerTo(new Error('secret'))
  expect([broken.status, broken.json().message]).toEqual([500, 'Interner Fehler'])
  query.mockRestore()
})
