import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { calendarToday } from '#test/calendar.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { toCreationInput } from './lenient-input.ts'

const simulator = await startSimulator()
const app = await startApp()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })
const today = calendarToday('UTC')

function post(body: string | object) {
  return app.call('/api/vouchers.php', {
    method: 'POST',
    key,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const shapeOf = (body: object) => toCreationInput({ site_id: 1, name: 'x', ...body }).shape

describe('max_uses', () => {
  test.each([
    [undefined, 1],
    [null, 1],
    [0, 1],
    [-3, 1],
    ['abc', 1],
    [true, 1],
    [[5], 1],
    [{}, 1],
    [1, 1],
    [5, 5],
    ['5', 5],
    [2.9, 2],
    ['3 Geräte', 3],
    ['1e2', 100],
  ])('%j becomes %i', (value, expected) => {
    expect(shapeOf({ max_uses: value }).maxUses).toBe(expected)
  })
})

describe('expire_minutes', () => {
  test.each([
    [undefined, 480],
    [null, 480],
    [0, 480],
    [-1, 480],
    ['', 480],
    [false, 480],
    [0.9, 480],
    [1, 1],
    [1440, 1440],
    ['60', 60],
    [59.9, 59],
  ])('%j becomes %i', (value, expected) => {
    expect(shapeOf({ expire_minutes: value }).expireMinutes).toBe(expected)
  })
})

describe('qos', () => {
  test.each([
    [undefined, [0, 0, 0]],
    [null, [0, 0, 0]],
    [5, [0, 0, 0]],
    ['x', [0, 0, 0]],
    [
      [1, 2, 3],
      [0, 0, 0],
    ],
    [{}, [0, 0, 0]],
    [{ down: 2000 }, [2000, 0, 0]],
    [{ down: -1, up: -5, quota_mb: -9 }, [0, 0, 0]],
    [{ down: '2000', up: 512.7, quota_mb: '100 MB' }, [2000, 512, 100]],
    [{ down: true, up: [], quota_mb: {} }, [0, 0, 0]],
  ])('%j becomes %j', (value, expected) => {
    const { downKbps, upKbps, quotaMb } = shapeOf({ qos: value })
    expect([downKbps, upKbps, quotaMb]).toEqual(expected)
  })
})

describe('name', () => {
  test.each([
    [' a ', 'a'],
    ['0', '0'],
    [123, '123'],
    [0, '0'],
    [1.5, '1.5'],
    ['\u00a0Gast\u200b', 'Gast'],
    ['\tGast\n', 'Gast'],
    ['Müller & Söhne <b>', 'Müller & Söhne <b>'],
    ['👩‍👩‍👧 Familie', '👩‍👩‍👧 Familie'],
    ['a  b', 'a  b'],
    [
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['x'.repeat(244), 'x'.repeat(244)],
    ['😀'.repeat(244), '😀'.repeat(244)],
  ])('%j is stored as %j', async (value, stored) => {
    const answer = await post({ site_id: site, name: value })
    const list = (await app.call(`/api/vouchers.php?site_id=${site}`, { key })).json().vouchers

    expect(answer.status).toBe(201)
    expect(list[0].voucher_name).toBe(`${today()}_${stored}`)
  })

  test.each([
    [undefined],
    [null],
    [true],
    [false],
    [[]],
    [['x']],
    [{}],
    [''],
    ['   '],
    ['\u00a0\u2003\u3000'],
    ['\u200b\u200d\ufeff'],
    ['\u0000\u0001'],
    ['\u3164\u115f'],
    ['\ufe0f\u034f'],
    ['\u{e0100}'],
    ['\u180b'],
  ])('%j: 400 name erforderlich', async (value) => {
    const answer = await post({ site_id: site, name: value })
    expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message: 'name erforderlich' }])
  })

  test.each([
    ['a\u0000b'],
    ['a\nb'],
    ['a\u001bb'],
    ['a\u007fb'],
    ['a\u0085b'],
    ['a\u202eb'],
    ['a\u2066b'],
    ['a\u2028b'],
  ])('%j: 400, its own message', async (value) => {
    const answer = await post({ site_id: site, name: value })
    expect([answer.status, answer.json().message]).toEqual([400, 'name enthält nicht druckbare Zeichen'])
  })

  test('245 characters: 400, its own message', async () => {
    const answer = await post({ site_id: site, name: '😀'.repeat(245) })
    expect([answer.status, answer.json().message]).toEqual([400, 'name ist länger als 244 Zeichen'])
  })

  test('a lone surrogate: the body counts as unreadable', async () => {
    const answer = await post(`{"site_id":${site},"name":"a\\ud800b"}`)
    expect([answer.status, answer.json().message]).toEqual([400, 'site_id erforderlich'])
  })
})

describe('bounds of the driver', () => {
  test.each([
    [{ expire_minutes: 1_000_001 }, 'expire_minutes muss zwischen 1 und 1000000 liegen'],
    [{ qos: { down: 1 } }, 'qos.down muss zwischen 2 und 100000 liegen'],
    [{ qos: { up: 100_001 } }, 'qos.up muss zwischen 2 und 100000 liegen'],
    [{ qos: { quota_mb: 1_048_577 } }, 'qos.quota_mb muss zwischen 1 und 1048576 liegen'],
    [{ max_uses: 2_147_483_648 }, 'max_uses muss zwischen 1 und 2147483647 liegen'],
    [{ max_uses: 1e300 }, 'max_uses muss zwischen 1 und 2147483647 liegen'],
  ])('%j: 400 and the controller is not called', async (limits, message) => {
    await simulator.forget()
    const answer = await post({ site_id: site, name: 'x', ...limits })

    expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message }])
    expect(await simulator.creates()).toBe(0)
  })

  test.each([
    { expire_minutes: 1_000_000 },
    { qos: { down: 2, up: 100_000, quota_mb: 1_048_576 } },
    { max_uses: 2_147_483_647 },
  ])('%j: 201', async (limits) => {
    expect((await post({ site_id: site, name: 'x', ...limits })).status).toBe(201)
  })
})

test.each(['1E400', '-1E400', '1e999'])(
  'the name %s is a number that JavaScript cannot represent: 400 name erforderlich',
  async (name) => {
    const answer = await post(`{"site_id":${site},"name":${name}}`)

    expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message: 'name erforderlich' }])
  },
)

test.each([
  '',
  'null',
  '5',
  '"x"',
  '[]',
  `[{"site_id":${site},"name":"x"}]`,
  `{"site_id":${site},"name":"x"`,
  `site_id=${site}&name=x`,
])('the body %j is an empty object: 400 site_id erforderlich', async (body) => {
  const answer = await post(body)
  expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message: 'site_id erforderlich' }])
})

test.each(['application/x-www-form-urlencoded', 'text/plain', '; garbage', 'application/json; charset=latin1', ''])(
  'Content-Type %j is ignored',
  async (type) => {
    const headers = { 'content-type': type }
    const answer = await app.call('/api/vouchers.php', {
      method: 'POST',
      key,
      headers,
      body: JSON.stringify({ site_id: site, name: 'x' }),
    })
    expect(answer.status).toBe(201)
  },
)

test('duplicate members: the last one wins; __proto__ is dropped', async () => {
  expect((await post(`{"site_id":999999,"site_id":${site},"name":"x"}`)).status).toBe(201)
  expect((await post(`{"__proto__":{"site_id":${site}},"name":"x"}`)).status).toBe(400)
})
