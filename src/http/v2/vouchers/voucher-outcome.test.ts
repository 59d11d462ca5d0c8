import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { settleCreations } from '#test/settle-creations.ts'

const app = await startApp()
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

const create = (idempotencyKey: string, body = {}) =>
  app.call('/api/v2/vouchers', {
    method: 'POST',
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ site_id: site, name: 'Zimmer 12', ...body }),
  })

const ask = (headers: Record<string, string>, by = key) => app.call('/api/v2/vouchers/outcome', { key: by, headers })

const outcomeOf = async (idempotencyKey: string, by = key) =>
  (await ask({ 'idempotency-key': idempotencyKey }, by)).json()

const nothing = { outcome: 'none', voucher: null }
const running = { outcome: 'running', voucher: null }

/** Makes creations look old enough to be settled now. */
const age = (seconds: number) =>
  app.db.query(
    `update creations set lease_until = now() - interval '1 second', sent_at = sent_at - make_interval(secs => $1)
      where settled_at is null`,
    [seconds],
  )

test('made: the voucher as it is now, only for the key that created it', async () => {
  const voucher = (await create('a')).json()
  const { key: other } = await seedKey(app.db, { scope: 'write' })

  expect(await outcomeOf('a')).toEqual({ outcome: 'made', voucher })
  await app.db.query(`update vouchers set status = 'revoked', revoked_at = now() where code = $1`, [voucher.code])
  expect(await outcomeOf('a')).toMatchObject({ outcome: 'made', voucher: { id: voucher.id, status: 'revoked' } })
  expect(await outcomeOf('a', other)).toEqual(nothing)
})

test('404 for a key that lost the site: the outcome, a repeat of the creation, and a repeat of a batch', async () => {
  const { id, key: limited } = await seedKey(app.db, { scope: 'write', siteIds: [site] })
  const post = (path: string, body: object) => {
    const headers = { 'idempotency-key': 'lost' }
    return app.call(`/api/v2${path}`, { method: 'POST', key: limited, headers, body: JSON.stringify(body) })
  }
  const voucher = { site_id: site, name: 'Zimmer 12' }
  const batch = { ...voucher, count: 1 }
  const before = [await post('/vouchers', voucher), await post('/batches', batch)]
  await app.db.query('delete from api_key_sites where api_key_id = $1', [id])
  const after = [await post('/vouchers', voucher), await post('/batches', batch)]
  const asked = await ask({ 'idempotency-key': 'lost' }, limited)

  expect(before.map(({ status }) => status)).toEqual([201, 202])
  expect([...after, asked].map((answer) => [answer.status, answer.json().error])).toEqual(
    Array(3).fill([404, 'not_found']),
  )
  expect(after[0]?.headers).toMatchObject({ 'voucher-outcome': 'unknown' })
  expect(after.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, undefined])
})

test('none: no such request, or the controller rejected it; asking creates nothing and calls no controller', async () => {
  await simulator.fault('refuse')
  expect((await create('rejected')).headers['voucher-outcome']).toBe('none')
  await simulator.forget()
  const { rows: before } = await app.db.query('select count(*) from creations')

  expect(await outcomeOf('rejected')).toEqual(nothing)
  expect(await outcomeOf('never-sent')).toEqual(nothing)
  expect(await simulator.requests()).toEqual([])
  expect((await app.db.query('select count(*) from creations')).rows).toEqual(before)
})

test('running while the controller works on it, without waiting; then made', async () => {
  await simulator.fault('slow', { delayMs: 1_500 })
  const creating = create('slow')
  await expect.poll(() => outcomeOf('slow')).toEqual(running)
  const { id } = (await creating).json()

  expect(await outcomeOf('slow')).toMatchObject({ outcome: 'made', voucher: { id } })
})

test.each([
  ['created-then-reset', 0, 'made'],
  ['reset', 121, 'none'],
])('running while the outcome is unknown (%s); then what was found', async (fault, seconds, outcome) => {
  await simulator.fault(fault)
  expect((await create(fault)).headers['voucher-outcome']).toBe('unknown')

  expect(await outcomeOf(fault)).toEqual(running)
  await age(seconds)
  await settleCreations(app.context)
  expect(await outcomeOf(fault)).toMatchObject({ outcome })
})

test('none a day after the creation was settled, as for a repeat', async () => {
  await create('old')
  await app.db.query(`update creations set settled_at = now() - interval '25 hours' where idempotency_key = 'old'`)

  expect(await outcomeOf('old')).toEqual(nothing)
})

test('400: the header is missing, or invalid', async () => {
  const missing = await ask({ 'accept-language': 'en' })
  const invalid = await ask({ 'idempotency-key': 'with space' })

  expect([missing.status, missing.json().errors]).toMatchObject([400, [{ field: 'Idempotency-Key', code: 'required' }]])
  expect(missing.json().message).toBe('Idempotency-Key is required')
  expect(invalid.status).toBe(400)
  expect(invalid.json().errors).toMatchObject([{ field: 'Idempotency-Key', code: 'bad_format' }])
})
