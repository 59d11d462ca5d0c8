import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const simulator = await startSimulator()
const app = await startApp()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

beforeEach(() => simulator.forget())

function post(idempotencyKey: string, body: object = { site_id: site, name: 'Gast' }, withKey = key) {
  return app.call('/api/vouchers.php', {
    method: 'POST',
    key: withKey,
    headers: { 'idempotency-key': idempotencyKey },
    body: JSON.stringify(body),
  })
}

test('201 again: the same key and contents give the first answer, and the controller is called once', async () => {
  const first = await post('checkin-4711')
  const again = await post('checkin-4711')

  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.text).toBe(first.text)
  expect(first.headers).not.toHaveProperty('idempotent-replayed')
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(await simulator.creates()).toBe(1)
})

test('contents are compared after normalisation: spaces, strings and clamps do not make a difference', async () => {
  const first = await post('same', { site_id: site, name: ' Gast ', max_uses: 0 })
  const again = await post('same', { site_id: `${site}abc`, name: 'Gast', expire_minutes: '480', qos: [] })

  expect(again.text).toBe(first.text)
})

test.each([
  { site_id: 999_999, name: 'Gast' },
  { site_id: site, name: 'Anderer' },
  { site_id: site, name: 'Gast', max_uses: 2 },
  { site_id: site, name: 'Gast', qos: { down: 100 } },
])('422: the same key with other contents %j', async (other) => {
  const id = `mismatch-${JSON.stringify(other)}`.replaceAll(' ', '')
  await post(id)
  const answer = await post(id, other)

  expect([answer.status, answer.json()]).toEqual([
    422,
    { error: 'idempotency_mismatch', message: 'Dieser Idempotency-Key wurde mit anderem Inhalt verwendet' },
  ])
  expect(await simulator.creates()).toBe(1)
})

test('409 while the first is still running, with Retry-After', async () => {
  await simulator.fault('slow', { delayMs: 2_500 })
  const first = post('running')
  await new Promise((resolve) => setTimeout(resolve, 800))
  const meanwhile = await post('running')

  expect([meanwhile.status, meanwhile.json()]).toEqual([
    409,
    { error: 'idempotency_in_progress', message: 'Eine Anfrage mit diesem Idempotency-Key läuft noch' },
  ])
  expect([meanwhile.headers['retry-after'], meanwhile.headers['voucher-outcome']]).toEqual(['1', 'unknown'])
  expect((await post('running')).status).toBe(409)
  expect((await first).status).toBe(201)
  expect((await post('running')).text).toBe((await first).text)
  expect(await simulator.creates()).toBe(1)
})

test('409 as long as the outcome of the first is not known', async () => {
  await simulator.fault('created-then-reset')

  expect((await post('lost')).headers['voucher-outcome']).toBe('unknown')
  expect((await post('lost')).status).toBe(409)
  expect(await simulator.creates()).toBe(1)
})

test('a creation that the controller rejected can be repeated', async () => {
  await simulator.fault('refuse')

  expect((await post('again')).headers['voucher-outcome']).toBe('none')
  expect((await post('again')).status).toBe(201)
  expect((await post('again')).headers['idempotent-replayed']).toBe('true')
  expect(await simulator.creates()).toBe(2)
})

test('a 400, a 404 and a value out of bounds do not use up the key', async () => {
  expect((await post('free', { site_id: site, name: '' })).status).toBe(400)
  expect((await post('free', { site_id: 999_999, name: 'x' })).status).toBe(404)
  expect((await post('free', { site_id: site, name: 'x', expire_minutes: 2_000_000 })).status).toBe(400)
  expect((await post('free')).status).toBe(201)
})

test('a repeat is answered before the site is looked up, so it works after the site was closed', async () => {
  const closing = await seedControlledSite(app.db, simulator)
  const first = await post('closed', { site_id: closing, name: 'x' })
  await app.db.query('update sites set active = false where id = $1', [closing])

  expect((await post('closed', { site_id: closing, name: 'x' })).text).toBe(first.text)
  expect((await post('other', { site_id: closing, name: 'x' })).status).toBe(404)
})

test('keys are remembered per API key', async () => {
  const other = (await seedKey(app.db, { scope: 'write' })).key

  expect((await post('mine')).json().code).not.toBe((await post('mine', undefined, other)).json().code)
})

test('after 24 hours the key is free again, for other contents too', async () => {
  const first = await post('old')
  await app.db.query(`update creations set settled_at = now() - interval '25 hours' where idempotency_key = 'old'`)
  const second = await post('old', { site_id: site, name: 'Anderer' })

  expect(second.status).toBe(201)
  expect(second.json().code).not.toBe(first.json().code)
})

test.each(['', ' ', 'a b', 'ä', 'x'.repeat(256), 'a\tb'])('400: the key %j is malformed', async (bad) => {
  const answer = await post(bad)

  expect([answer.status, answer.json()]).toEqual([
    400,
    { error: 'invalid_request', message: 'Idempotency-Key ungültig' },
  ])
})

test('255 visible characters are a key', async () => {
  expect((await post('~'.repeat(255))).status).toBe(201)
})
