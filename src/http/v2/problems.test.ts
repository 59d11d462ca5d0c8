import { describe, expect, test, vi } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { type Answer, call } from '#test/network/http-client.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const writing = (await seedKey(app.db, { scope: 'write' })).key

test.each([
  [undefined, 'Sign in, or send a valid API key', 'en'],
  ['de-DE,de;q=0.9,en;q=0.8', 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
  ['fr', 'Sign in, or send a valid API key', 'en'],
  ['en', 'Sign in, or send a valid API key', 'en'],
  ['fr, de-AT;q=0.7, en;q=0.3', 'Ein gültiger API-Schlüssel ist erforderlich', 'de'],
  ['de;q=0', 'Sign in, or send a valid API key', 'en'],
  ['de, en', 'Sign in, or send a valid API key', 'en'],
  [';;,=q', 'Sign in, or send a valid API key', 'en'],
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

const fieldsOf = (answer: Answer) => answer.json().errors.map(({ field, code }: any) => `${field} ${code}`)

describe('400', () => {
  test.each([
    ['/vouchers?limit=0', ['limit out_of_range']],
    ['/vouchers?limit=201', ['limit out_of_range']],
    ['/vouchers?limit=1e400', ['limit wrong_type']],
    ['/vouchers?limit=0x5', ['limit wrong_type']],
    ['/vouchers?limit=1e1', ['limit wrong_type']],
    ['/vouchers?limit=5.0', ['limit wrong_type']],
    ['/vouchers?limit=%205', ['limit wrong_type']],
    ['/vouchers?site_id=1&site_id=0x1', ['site_id[1] wrong_type']],
    ['/vouchers?site_id=1&site_id=-1e400', ['site_id[1] wrong_type']],
    ['/vouchers/lookup?code=1&site_id=1e400', ['site_id wrong_type']],
    ['/vouchers?limit=1&limit=2', ['limit repeated']],
    ['/vouchers?limit=', ['limit wrong_type']],
    ['/vouchers?site_id=0', ['site_id[0] out_of_range']],
    ['/vouchers?site_id=2147483648', ['site_id[0] out_of_range']],
    ['/vouchers?site_id=1&site_id=x', ['site_id[1] wrong_type']],
    ['/vouchers?status=good', ['status[0] not_one_of']],
    ['/vouchers?text=%00', ['text bad_format']],
    ['/vouchers?created_by=urn:uuid:00000000-0000-7000-8000-000000000000', ['created_by bad_format']],
    ['/vouchers?text=', ['text too_short']],
    ['/vouchers?created_by=me', ['created_by bad_format']],
    ['/vouchers?code=-', ['code bad_format']],
    ['/vouchers?batch_id=7', ['batch_id bad_format']],
    ['/vouchers?created_after=yesterday', ['created_after not_a_time']],
    ['/vouchers?created_after=2026-11-15', ['created_after time_missing']],
    ['/vouchers?created_after=2026-11-15T11:00:00+01:00', ['created_after time_zone_missing']],
    ['/vouchers?created_before=2026-12-31T23:59:60Z', ['created_before not_a_time']],
    ['/vouchers?cursor=', ['cursor bad_format']],
    ['/vouchers?cursor=MQ', ['cursor bad_format']],
    ['/vouchers?cursor=garbage', ['cursor bad_format']],
    ['/sites?cursor=garbage', ['cursor bad_format']],
    ['/vouchers?staus=valid', ['staus unknown_field']],
    ['/vouchers?site_id[]=1', ['? unknown_field']],
    ['/vouchers?%3Cscript%3E=1', ['? unknown_field']],
    ['/vouchers?__proto__=1', ['__proto__ unknown_field']],
    ['/vouchers?constructor=1', ['constructor unknown_field']],
    ['/sites/1?name=x', ['name unknown_field']],
    ['/vouchers/lookup?site_id=1', ['code required']],
    ['/vouchers/lookup?code=1&site_id=', ['site_id wrong_type']],
    ['/vouchers/lookup?code=1&fresh=yes', ['fresh wrong_type']],
    [
      '/vouchers?limit=x&status=good&nam=1&site_id=0',
      ['site_id[0] out_of_range', 'status[0] not_one_of', 'limit wrong_type', 'nam unknown_field'],
    ],
  ])('%s', async (path, fields) => {
    const answer = await app.call(`/api/v2${path}`, { key })

    expect([answer.status, answer.json().error, fieldsOf(answer)]).toEqual([400, 'invalid_request', fields])
  })

  test('an error says what would be accepted, in both languages', async () => {
    const path = '/api/v2/vouchers?limit=500&status=good&staus=valid&created_after=2026-11-15'
    const english = (await app.call(path, { key })).json()
    const german = (await app.call(path, { key, headers: { 'accept-language': 'de' } })).json()

    expect(english).toMatchObject({
      message: 'These fields are invalid: status[0], created_after, limit, staus',
      errors: [
        {
          field: 'status[0]',
          code: 'not_one_of',
          message: 'status[0] must be one of valid | used | expired | revoked',
          allowed: { values: ['valid', 'used', 'expired', 'revoked'] },
        },
        { allowed: { format: 'date-time', example: '2026-11-15T11:00:00+01:00' } },
        { message: 'limit must be between 1 and 200', allowed: { minimum: 1, maximum: 200 } },
        {
          message: 'There is no field staus here. Did you mean status?',
          allowed: { nearest: 'status', fields: expect.arrayContaining(['site_id', 'status', 'limit']) },
        },
      ],
    })
    expect(german).toMatchObject({
      message: 'Diese Felder sind ungültig: status[0], created_after, limit, staus',
      errors: [
        { message: 'status[0] muss einer dieser Werte sein: valid | used | expired | revoked' },
        {},
        { message: 'limit muss zwischen 1 und 200 sein' },
        { message: 'Das Feld staus gibt es hier nicht. Ist status gemeint?' },
      ],
    })
  })

  test('query, body and Idempotency-Key are checked together', async () => {
    const answer = await app.call('/api/v2/vouchers?dry_run=1', {
      method: 'POST',
      key: writing,
      body: '{"site_id":0}',
      headers: { 'idempotency-key': 'a b' },
    })

    expect(fieldsOf(answer)).toEqual([
      'dry_run unknown_field',
      'name required',
      'site_id out_of_range',
      'Idempotency-Key bad_format',
    ])
  })

  test('at most 50 errors, however many fields are invalid', async () => {
    const body = JSON.stringify({ site_id: 1, names: Array(1_000).fill('') })
    const answer = await app.call('/api/v2/batches', { method: 'POST', key: writing, body })

    expect(answer.json().errors).toHaveLength(50)
    expect(answer.json().errors[49]).toMatchObject({ field: 'names[49]', code: 'too_short' })
    expect(answer.text.length).toBeLessThan(10_000)
  })

  test('nothing that a client sent is repeated except plain names of fields', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e'
    const body = JSON.stringify({ [hostile]: 1, site_id: hostile, name: 1, qos: { [hostile]: hostile } })
    const answer = await app.call('/api/v2/vouchers', { method: 'POST', key: writing, body })

    expect(fieldsOf(answer)).toEqual(['site_id wrong_type', '? unknown_field', 'name wrong_type', '? unknown_field'])
    expect(answer.text).not.toMatch(/<|alert|\u202e/)
  })

  test.each([
    ['POST', '/batches/1-x/cancel', '{"rows":[1]}', 'There is no field rows here'],
    ['POST', '/batches/1-x/retry', '{"rows":[1]}', 'There is no field rows here'],
    ['DELETE', '/vouchers/1-x', '{"reason":"x"}', 'There is no field reason here'],
    ['POST', '/vouchers', '{"site_id":1,"name":"x","__proto__":{}}', 'There is no field __proto__ here'],
    ['POST', '/revocations', '{"filter":{"text":"x","__proto__":1}}', 'There is no field filter.__proto__ here'],
    ['POST', '/batches/1-x/cancel', '[]', 'The body must be a JSON object'],
    ['POST', '/batches/1-x/cancel', '{', 'The body is not JSON in UTF-8'],
  ])('%s %s with %s', async (method, path, body, message) => {
    const answer = await app.call(`/api/v2${path}`, {
      method,
      body,
      key: writing,
      headers: { 'accept-language': 'en', 'content-length': String(body.length) }, // for DELETE, Node adds none
    })

    expect([answer.status, answer.json().message]).toEqual([400, message])
    expect(answer.json().errors).toMatchObject([{ message }])
  })

  test('a broken percent-encoding, in the format of this API', async () => {
    const answer = await app.call('/api/v2/sites/%zz', { key })

    expect([answer.status, answer.json().message]).toEqual([400, 'The request cannot be read'])
    expect(fieldsOf(answer)).toEqual(['request bad_format'])
  })

  test('an invalid Host header, in the format of this API', async () => {
    const answer = await call(`${app.url}/api/v2/sites`, { headers: { host: 'a b' } })

    expect([answer.status, Object.keys(answer.json())]).toEqual([400, ['error', 'message', 'request_id', 'errors']])
  })
})

test.each(['/api/v2', '/api/v2/', '/api/v2/nothing', '/api/v2/vouchers/1/2', `/api/v2/sites/${'1'.repeat(200)}`])(
  '404 without a key check: %s',
  async (path) => {
    const answer = await app.call(path)

    expect([answer.status, answer.json().message]).toEqual([404, 'There is no such endpoint'])
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
])('404: %s cannot exist', async (path) => {
  const answer = await app.call(`/api/v2${path}`, { key })

  expect([answer.status, answer.json().message]).toEqual([404, 'Not found'])
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
  /** Every query fails meanwhile: the service also sends some of its own, in the background. */
  const answerTo = async (error: Error) => {
    const query = vi.spyOn(app.context.db, 'query').mockRejectedValue(error)
    try {
      return await app.call('/api/v2/sites', { key })
    } finally {
      query.mockRestore()
    }
  }

  const lost = await answerTo(new Unavailable('PostgreSQL is out of reach at 10.0.0.7'))
  expect([lost.status, lost.json().error, lost.headers['retry-after']]).toEqual([503, 'unavailable', '5'])
  const broken = await answerTo(new Error('secret'))
  expect([broken.status, broken.json().message]).toEqual([500, 'Internal error'])
})
