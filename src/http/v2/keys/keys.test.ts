import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { seedKey, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'

const app = await startApp()
const { session, id: adminId } = await seedPerson(app.db, { role: 'admin' })
const site = await seedSite(app.db)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  app.call(`/api/v2${path}`, { method, session, headers, ...(body && { body: JSON.stringify(body) }) })
const statusWith = async (key: string) => (await app.call('/api/v2/me', { key })).status
const checkIn = { name: 'Check-in', scope: 'write', site_ids: [site], requests_per_minute: 120, expires_at: inDays(90) }

test('201: the secret works and is in this answer only', async () => {
  const created = (await send('POST', '/keys', checkIn)).json()
  const { secret, ...key } = created

  expect(key).toEqual({
    ...checkIn,
    vouchers_per_day: null,
    longest_minutes: null,
    id: expect.any(String),
    prefix: secret.slice(0, 12),
    all_sites: false,
    revoked_at: null,
    last_used_at: null,
    created_at: expect.any(String),
    old_secrets: [],
    usage: { first_day: expect.any(String), requests: Array(14).fill(0), limited: Array(14).fill(0) },
  })
  expect(await statusWith(secret)).toBe(200)
  expect((await send('GET', `/keys/${key.id}`)).json()).toEqual(key)
  for (const path of ['/keys', `/keys/${key.id}`])
    expect((await send('GET', path)).text).not.toContain(secret.slice(12))
  const { rows } = await app.db.query(`select actor_kind, actor_id, details from audit where target_id = $1`, [key.id])
  expect(rows).toMatchObject([{ actor_kind: 'staff', actor_id: adminId }])
  expect(JSON.stringify(rows)).not.toContain(secret.slice(12))
})

test('201 in a cell: the new secret and a rolled one contain the letter of the cell', async () => {
  const cell = await startApp({ CELL: 'K' })
  const { session: own } = await seedPerson(cell.db, { role: 'admin' })
  const post = async (path: string, body: object) =>
    (await cell.call(`/api/v2${path}`, { method: 'POST', session: own, body: JSON.stringify(body) })).json()
  const { secret, prefix, id } = await post('/keys', { name: 'Check-in', scope: 'read' })
  const rolled = await post(`/keys/${id}/roll`, { prefix, old_valid_until: null })

  expect(prefix).toMatch(/^vsk_K_[0-9A-Za-z]{8}$/)
  expect(secret.startsWith(prefix)).toBe(true)
  expect(rolled.secret).toMatch(/^vsk_K_/)
  expect((await cell.call('/api/v2/me', { key: rolled.secret })).status).toBe(200)
  await cell.context.keyUsage.flush() // its timer would write it during a later test, which counts statements
})

test('without sites, limit and expiry: all sites, 600 requests per minute, no expiry; null is no limit', async () => {
  const plain = (await send('POST', '/keys', { name: 'Monitoring', scope: 'read' })).json()
  const unlimited = { name: 'Reports', scope: 'read', requests_per_minute: null, site_ids: null, expires_at: null }

  expect(plain).toMatchObject({ all_sites: true, site_ids: [], requests_per_minute: 600, expires_at: null })
  expect((await send('POST', '/keys', unlimited)).json()).toMatchObject({ all_sites: true, requests_per_minute: null })
})

test.each([
  [{ scope: 'manage', expires_at: null }, 'expires_at', 'required'],
  [{ expires_at: inDays(-1) }, 'expires_at', 'in_the_past'],
  [{ name: ' ' }, 'name', 'bad_format'],
  [{ requests_per_minute: 0 }, 'requests_per_minute', 'out_of_range'],
  [{ site_ids: [] }, 'site_ids', 'too_few'],
  [{ scope: 'admin' }, 'scope', 'not_one_of'],
])('400: %o', async (wrong, field, code) => {
  const answer = await send('POST', '/keys', { ...checkIn, ...wrong })

  expect(answer.status).toBe(400)
  expect(answer.json().errors).toMatchObject([{ field, code }])
})

test('404: a site that does not exist; no key is left behind', async () => {
  const name = 'Nowhere'

  expect((await send('POST', '/keys', { ...checkIn, name, site_ids: [site, 999_999] })).status).toBe(404)

  expect((await app.db.query('select from api_keys where name = $1', [name])).rowCount).toBe(0)
})

test('409: a repeat with the same Idempotency-Key creates no second key and names the first; no secret is remembered', async () => {
  const headers = { 'idempotency-key': 'form-1' }
  const { secret, prefix, id } = (await send('POST', '/keys', { ...checkIn, name: 'Double click' }, headers)).json()

  const again = await send('POST', '/keys', { ...checkIn, name: 'Double click' }, headers)
  const other = await send('POST', '/keys', { ...checkIn, name: 'Another' }, headers)

  expect([again.status, again.json().error]).toEqual([409, 'key_created_before'])
  expect(again.json().message).toContain(prefix)
  expect(other.json().error).toBe('idempotency_mismatch')
  const { rows } = await app.db.query<{ id: string }>(`select id from api_keys where name = 'Double click'`)
  expect(rows).toEqual([{ id }])
  const remembered = await app.db.query('select to_jsonb(r)::text as row from remembered_requests r')
  expect(JSON.stringify(remembered.rows)).not.toContain(secret.slice(12))
})

test('two clicks at once with one Idempotency-Key create one key', async () => {
  const headers = { 'idempotency-key': 'form-2' }
  const click = () => send('POST', '/keys', { ...checkIn, name: 'Two clicks' }, headers)

  const answers = await Promise.all([click(), click(), click()])

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
})

test('a change takes effect with the next request; fields that are left out stay', async () => {
  const { id, key } = await seedKey(app.db, { rateLimit: 5 })

  const changed = await send('PATCH', `/keys/${id}`, { requests_per_minute: 60, site_ids: [site] })

  expect(changed.json()).toMatchObject({ name: 'Test', requests_per_minute: 60, all_sites: false, site_ids: [site] })
  expect((await app.call('/api/v2/me', { key })).json()).toMatchObject({
    site_ids: [site],
    limits: { requests_per_minute: 60 },
  })
  const open = await send('PATCH', `/keys/${id}`, { name: 'Neu', requests_per_minute: null, site_ids: null })
  expect(open.json()).toMatchObject({ name: 'Neu', requests_per_minute: null, all_sites: true, site_ids: [] })
  const { rows } = await app.db.query<any>(
    `select details from audit where target_id = $1 and action = 'key.changed' order by id`,
    [id],
  )
  expect(rows[0].details).toEqual({
    name: 'Test',
    before: { rateLimit: 5, siteIds: 'all' },
    changes: { rateLimit: 60, siteIds: [site] },
  })
})

test('200: a roll keeps the id, and the old secret works until its time; a limit counts for both together', async () => {
  const { id, prefix, key: old } = await seedKey(app.db, { rateLimit: 3 })
  const oldValidUntil = inDays(1)

  const answer = await send('POST', `/keys/${id}/roll`, { prefix, old_valid_until: oldValidUntil })

  const { secret, ...rolled } = answer.json()
  expect(rolled).toMatchObject({
    id,
    prefix: secret.slice(0, 12),
    old_secrets: [{ prefix, valid_until: oldValidUntil, last_used_at: null }],
  })
  expect(await statusWith(old)).toBe(200)
  expect(await statusWith(secret)).toBe(200)
  expect(await statusWith(old)).toBe(200)
  expect(await statusWith(secret)).toBe(429)
  await app.context.keyUsage.flush()
  const { usage, old_secrets } = (await send('GET', `/keys/${id}`)).json()
  expect([usage.requests.at(-1), usage.limited.at(-1)]).toEqual([4, 1])
  expect(old_secrets[0].last_used_at).toEqual(expect.any(String))
  await app.db.query(`update api_key_secrets set valid_until = now() - interval '1 second' where prefix = $1`, [prefix])
  expect(await statusWith(old)).toBe(401)
})

test('a repeat with the new secret finds the Idempotency-Key of the old secret', async () => {
  const { id, prefix, key: old } = await seedKey(app.db, { scope: 'write' })
  const voucher_ids = [`${site}-${await seedVoucher(app.db, site)}`]
  const ask = (key: string) =>
    app.call('/api/v2/revocations', {
      method: 'POST',
      key,
      headers: { 'idempotency-key': 'r-1' },
      body: JSON.stringify({ voucher_ids }),
    })
  const first = await ask(old)

  const { secret } = (await send('POST', `/keys/${id}/roll`, { prefix, old_valid_until: null })).json()

  expect(first.status).toBe(202)
  expect((await ask(secret)).json().id).toBe(first.json().id)
})

test('409 or 400: a roll of another prefix, of a revoked key, or for too long', async () => {
  const { id, prefix } = await seedKey(app.db)
  const roll = async (body: object) => (await send('POST', `/keys/${id}/roll`, { prefix, ...body })).json().error

  expect(await roll({ prefix: 'vsk_00000000', old_valid_until: null })).toBe('key_rolled')
  expect(await roll({ old_valid_until: inDays(32) })).toBe('key_grace_too_long')
  expect(await roll({ old_valid_until: inDays(-1) })).toBe('key_grace_passed')
  expect(await roll({})).toBe('invalid_request')
  await send('DELETE', `/keys/${id}`)
  expect(await roll({ old_valid_until: null })).toBe('key_revoked')
  expect((await send('PATCH', `/keys/${id}`, { name: 'x' })).json().error).toBe('key_revoked')
})

test('204: a revoked key is rejected with the next request, and a second revocation keeps the time of the first', async () => {
  const { id, key } = await seedKey(app.db)

  expect((await send('DELETE', `/keys/${id}`)).status).toBe(204)

  expect(await statusWith(key)).toBe(401)
  const { revoked_at } = (await send('GET', `/keys/${id}`)).json()
  expect((await send('DELETE', `/keys/${id}`)).status).toBe(204)
  expect((await send('GET', `/keys/${id}`)).json().revoked_at).toBe(revoked_at)
})

test('the list is by name and in pages; usage has 14 days in order, and no day before them', async () => {
  const { id } = await seedKey(app.db, { name: 'AAA' })
  await app.db.query(
    `insert into api_key_days (api_key_id, day, requests, limited)
     select $1, $2::date - ago, 100 + ago, ago from unnest(array[0, 1, 13, 14]) as ago`,
    [id, app.context.today(new Date())],
  )

  const names: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: any = (await send('GET', `/keys?limit=3${cursor && `&cursor=${cursor}`}`)).json()
    names.push(...page.keys.map(({ name }: any) => name))
    cursor = page.next_cursor
  }

  const { rows } = await app.db.query<{ name: string }>('select name from api_keys order by name, id')
  expect(names).toEqual(rows.map(({ name }) => name))
  const { usage } = (await send('GET', '/keys?limit=1')).json().keys[0]
  expect(usage.requests).toEqual([113, ...Array(11).fill(0), 101, 100])
  expect(usage.limited).toEqual([13, ...Array(11).fill(0), 1, 0])
})

test('200 requests are counted with one statement, not with one write each', async () => {
  const { id, key } = await seedKey(app.db) // without a limit: counting for a limit is a write of its own
  await app.context.keyUsage.flush()
  const statements = watchStatements({ includesUsage: true })
  const startedAt = performance.now()

  await Promise.all(Array.from({ length: 200 }, () => statusWith(key)))
  await app.context.keyUsage.flush()
  const writes = statements.filter((text) => /\b(insert|update|delete)\b/i.test(text))
  vi.restoreAllMocks()

  expect(writes.filter((text) => !text.includes('insert into api_key_days'))).toEqual([])
  const alsoEvery10s = Math.ceil((performance.now() - startedAt) / 10_000)
  expect(writes.length).toBeGreaterThanOrEqual(1)
  expect(writes.length).toBeLessThanOrEqual(1 + alsoEvery10s)
  expect((await send('GET', `/keys/${id}`)).json().usage.requests.at(-1)).toBe(200)
})
