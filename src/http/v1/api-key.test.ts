import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { importKey } from '#domain/keys/administer-keys.ts'
import { startApp } from '#test/app.ts'
import { seedKey, testActor } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const other = await seedKey(app.db, { name: 'Other' })

async function statusWith(headers: Record<string, string>): Promise<number> {
  return (await app.call('/api/sites.php', { headers })).status
}

test('200: Authorization: Bearer <key>, the scheme in any case', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
    expect(await statusWith({ authorization: `${scheme} ${key}` })).toBe(200)
  }
})

test('200: X-API-Key: <key>', async () => {
  expect(await statusWith({ 'x-api-key': key })).toBe(200)
})

test('Authorization: Bearer wins over X-API-Key', async () => {
  expect(await statusWith({ authorization: 'Bearer nonsense', 'x-api-key': key })).toBe(401)
  expect(await statusWith({ authorization: `Bearer ${key}`, 'x-api-key': 'nonsense' })).toBe(200)
})

test('any other Authorization scheme is ignored', async () => {
  for (const authorization of ['Basic dXNlcjpwYXNz', key, `Token ${key}`, `Bearer${key}`, 'Bearer', 'Bearer ', '']) {
    expect(await statusWith({ authorization })).toBe(401)
    expect(await statusWith({ authorization, 'x-api-key': key })).toBe(200)
  }
})

test('401 without a key names the expected scheme', async () => {
  const answer = await app.call('/api/sites.php')

  expect(answer.status).toBe(401)
  expect(answer.json()).toEqual({ error: 'unauthorized', message: 'Ein gültiger API-Schlüssel ist erforderlich' })
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="vouchers"')
  expect(answer.headers).not.toHaveProperty('ratelimit')
})

test('401 with a wrong key: also error="invalid_token"', async () => {
  const answer = await app.call('/api/sites.php', { key: 'vsk_wrong' })

  expect(answer.status).toBe(401)
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="vouchers", error="invalid_token"')
})

test.each([
  ['one more character', `${key}0`],
  ['one character less', key.slice(0, -1)],
  ['another case', key.toUpperCase()],
  ['a space inside', `${key.slice(0, 20)} ${key.slice(20)}`],
  ["another key's secret", key.slice(0, 12) + other.key.slice(12)],
  ['two keys', `${key}, ${key}`],
  ['257 characters', `abc_12345678${'x'.repeat(245)}`],
  ['8,000 characters', `abc_12345678${'x'.repeat(7000)}`],
  ['an injection', `vsk_' or 1=1 --`],
  ['Latin-1 letters', 'vsk_äöü'],
])('401: %s', async (_what, wrong) => {
  expect(await statusWith({ authorization: `Bearer ${wrong}` })).toBe(401)
  expect(await statusWith({ 'x-api-key': wrong })).toBe(401)
})

test('401: a revoked key', async () => {
  const mine = await seedKey(app.db)
  expect(await statusWith({ 'x-api-key': mine.key })).toBe(200)

  await app.db.query('update api_keys set revoked_at = now() where id = $1', [mine.id])

  expect(await statusWith({ 'x-api-key': mine.key })).toBe(401)
})

test('401: an expired key, from the moment it expires', async () => {
  const mine = await seedKey(app.db, { expiresAt: new Date(Date.now() + 60_000) })
  expect(await statusWith({ 'x-api-key': mine.key })).toBe(200)

  await app.db.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [mine.id])

  expect(await statusWith({ 'x-api-key': mine.key })).toBe(401)
})

test('200: a key imported by prefix and hash, without a checksum', async () => {
  const foreign = `uvm_${randomBytes(4).toString('hex')}${randomBytes(20).toString('hex')}`
  await importKey(
    app.db,
    testActor,
    { name: 'Old server', scope: 'read', rateLimit: 0, siteIds: undefined, expiresAt: null },
    { prefix: foreign.slice(0, 12), sha256: createHash('sha256').update(foreign).digest() },
  )

  expect(await statusWith({ 'x-api-key': foreign })).toBe(200)
  expect(await statusWith({ 'x-api-key': `${foreign}0` })).toBe(401)
})

test('only the SHA-256 of a key is stored', async () => {
  const { rows } = await app.db.query<{ sha256: Buffer; row: string }>(
    'select sha256, to_jsonb(api_key_secrets)::text as row from api_key_secrets where prefix = $1',
    [key.slice(0, 12)],
  )

  expect(rows[0]?.sha256).toEqual(createHash('sha256').update(key).digest())
  expect(rows[0]?.row).not.toContain(key.slice(12))
})

test('403: a read key cannot write', async () => {
  const answer = await app.call('/api/vouchers.php', { method: 'POST', key, body: '{}' })

  expect(answer.status).toBe(403)
  expect(answer.json()).toEqual({ error: 'forbidden', message: 'Dem API-Schlüssel fehlt die Berechtigung write' })
  expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="write"')
})

test('405 on /vouchers.php: no message, Allow, a valid key but no scope', async () => {
  const answer = await app.call('/api/vouchers.php', { method: 'DELETE', key })

  expect(answer.status).toBe(405)
  expect(answer.text).toBe('{"error":"method_not_allowed"}')
  expect(answer.headers.allow).toBe('GET, POST')
  expect((await app.call('/api/vouchers.php', { method: 'DELETE' })).status).toBe(401)
})

test('405 on /sites.php: Allow: GET', async () => {
  const answer = await app.call('/api/sites.php', { method: 'POST', key })

  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET'])
})

test.each(['HEAD', 'OPTIONS'])('405: %s is not allowed', async (method) => {
  const answer = await app.call('/api/vouchers.php?site_id=1', { method, key })

  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST'])
})

test('a body is not read before the key is accepted', async () => {
  const body = 'x'.repeat(1_000_000)

  expect((await app.call('/api/vouchers.php', { method: 'POST', body })).status).toBe(401)
  expect((await app.call('/api/vouchers.php', { method: 'POST', body, key })).status).toBe(403)
  expect((await app.call('/api/vouchers.php', { method: 'PUT', body, key })).status).toBe(405)
})

test('413: a body over 64 KiB', async () => {
  const write = (await seedKey(app.db, { scope: 'write' })).key
  const post = (bytes: number) => app.call('/api/vouchers.php', { method: 'POST', body: 'x'.repeat(bytes), key: write })

  const answer = await post(65_537)

  expect(answer.status).toBe(413)
  expect(answer.json().error).toBe('payload_too_large')
  expect(answer.headers.connection).toBe('close')
  expect((await post(65_536)).status).not.toBe(413)
})

test.each([
  '/api',
  '/api/',
  '/api/sites',
  '/api/sites.php/',
  '/api//sites.php',
  '/api/SITES.php',
  '/sites.php',
  '/api/v3',
])('404 without a key check: %s', async (path) => {
  const answer = await app.call(path)

  expect(answer.status).toBe(404)
  expect(answer.json()).toEqual({ error: 'not_found', message: 'Endpunkt nicht gefunden' })
})

test("X-Request-Id is ours, never the client's", async () => {
  const answer = await app.call('/api/sites.php', { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } })

  expect(answer.headers['x-request-id']).not.toBe('mine')
})
