import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedManyVouchers, seedSite, seedVoucher } from '#test/data/seed.ts'

const app = await startApp() // without a worker: everything stays pending
const site = await seedSite(app.db)
const other = await seedSite(app.db)
const { key, id: keyId } = await seedKey(app.db, { scope: 'write', name: 'Check-out' })
const atSite = (await seedKey(app.db, { scope: 'write', siteIds: [site] })).key
const read = (await seedKey(app.db)).key
const nobody = '00000000-0000-7000-8000-000000000000'

function revoke(body: object, options: { key?: string; idempotencyKey?: string } = {}) {
  return app.call('/api/v2/revocations', {
    method: 'POST',
    key: options.key ?? key,
    body: JSON.stringify(body),
    headers: {
      'accept-language': 'en',
      ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
    },
  })
}

const get = (path: string, as = key) => app.call(`/api/v2${path}`, { key: as })
const seeded = async (siteId = site, voucher = {}) => `${siteId}-${await seedVoucher(app.db, siteId, voucher)}`
const count = async (table: string) => Number((await app.db.query(`select count(*) from ${table}`)).rows[0]?.count)
const rowsOf = async (id: string) =>
  (await get(`/revocations/${id}/rows`)).json().rows.map(({ voucher_id }: any) => voucher_id)

test('202: a row per voucher, each once, and one job per site', async () => {
  const ids = [await seeded(), await seeded(other), await seeded()]
  const answer = await revoke({ voucher_ids: [...ids, ids[0]] })
  const { id, created_at } = answer.json()

  expect(answer.status).toBe(202)
  expect(answer.json()).toEqual({
    id,
    created_at,
    state: 'running',
    total: 3,
    pending: 3,
    revoked: 0,
    ended: 0,
    kept: 0,
    failed: 0,
  })
  expect((await get(`/revocations/${id}`)).json()).toEqual(answer.json())
  expect((await rowsOf(id)).toSorted()).toEqual(ids.toSorted())
  const { rows: jobs } = await app.db.query(`select singleton_key from pgboss.job where name = 'withdraw'`)
  expect(jobs.map(({ singleton_key }) => singleton_key).toSorted()).toEqual(
    [site, other].map((id) => `${id} small`).toSorted(),
  )
  const { rows: audit } = await app.db.query(`select * from audit where target_id = $1`, [id])
  expect(audit).toMatchObject([
    {
      actor_kind: 'key',
      actor_id: keyId,
      actor_name: 'Check-out',
      action: 'vouchers.revoked',
      details: { vouchers: 3 },
    },
  ])
})

test('DELETE of one voucher creates a revocation, even if the voucher has ended', async () => {
  for (const voucher of [await seeded(), await seeded(site, { status: 'revoked' })]) {
    const answer = await app.call(`/api/v2/vouchers/${voucher}`, { method: 'DELETE', key })

    expect([answer.status, answer.json().total]).toEqual([202, 1])
    expect(await rowsOf(answer.json().id)).toEqual([voucher])
  }
})

test('rows come in pages', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => seeded(n % 2 ? site : other)))
  const { id } = (await revoke({ voucher_ids: ids })).json()
  const first = (await get(`/revocations/${id}/rows?limit=3`)).json()
  const second = (await get(`/revocations/${id}/rows?limit=3&cursor=${first.next_cursor}`)).json()

  expect([first.rows.length, second.rows.length, second.next_cursor]).toEqual([3, 2, null])
  expect([...first.rows, ...second.rows].map(({ voucher_id }: any) => voucher_id).toSorted()).toEqual(ids.toSorted())
  expect(first.rows[0]).toEqual({
    voucher_id: expect.any(String),
    outcome: 'pending',
    failure: null,
    disconnected: null,
    settled_at: null,
  })
})

test('a filter covers only vouchers that can still be withdrawn', async () => {
  const soon = new Date(Date.now() + 60_000)
  const past = new Date(Date.now() - 60_000)
  const reference = 'R-100'
  const meant = [
    await seeded(site, { reference }),
    await seeded(other, { reference }),
    await seeded(site, { reference, usedCount: 1, expiresAt: soon }),
    await seeded(site, { reference, status: 'used', usedCount: 1, expiresAt: soon }),
  ]
  await seeded(site, { reference, expiresAt: past })
  await seeded(site, { reference, status: 'used', expiresAt: past })
  await seeded(site, { reference, status: 'expired', expiresAt: past })
  await seeded(site, { reference, status: 'revoked' })
  await seeded(site, { reference: 'R-1000' })
  const byReference = await revoke({ filter: { reference } })
  const bySite = await revoke({ filter: { reference, site_id: [other] } })

  expect((await rowsOf(byReference.json().id)).toSorted()).toEqual(meant.toSorted())
  expect(await rowsOf(bySite.json().id)).toEqual([meant[1]])
})

test('every field of the filter works as in the list', async () => {
  const batchId = '0193aaaa-0000-7000-8000-000000000001'
  const createdAt = new Date('2020-02-02T12:00:00Z')
  const voucher = { apiKeyId: keyId, batchId, createdAt, code: '7777700001', name: '2020-02-02_Tagung 100%' }
  const meant = await seeded(site, voucher)
  const filters = [
    { batch_id: `${site}-${batchId}` },
    { created_by: keyId },
    { text: 'tagung 100%' },
    { code: '77777-00001' },
    { created_after: '2020-02-02T13:59:59+02:00', created_before: '2020-02-02T12:00:01Z' },
  ]
  for (const filter of filters) expect(await rowsOf((await revoke({ filter })).json().id)).toEqual([meant])
})

test('a filter that matches nothing: done, and only its maker sees it', async () => {
  const { id, state, total } = (await revoke({ filter: { reference: 'nothing' } }, { key: atSite })).json()

  expect([state, total]).toEqual(['done', 0])
  expect((await get(`/revocations/${id}`, atSite)).status).toBe(200)
  const stranger = (await seedKey(app.db, { siteIds: [site] })).key
  expect((await get(`/revocations/${id}`, stranger)).status).toBe(404)
})

test.each([
  [{}, ['filter one_of_required']],
  [{ filter: {} }, ['filter one_of_required']],
  [{ filter: { site_id: [site] } }, ['filter one_of_required']],
  [{ filter: { reference: '' } }, ['filter.reference too_short']],
  [{ filter: { reference: 'x', site_id: [] } }, ['filter.site_id too_few']],
  [{ filter: { referenz: 'x' } }, ['filter.referenz unknown_field']],
  [{ filter: { reference: 'x', status: 'valid' } }, ['filter.status unknown_field']],
  [{ filter: { created_after: '2026-12-31T23:59:60Z' } }, ['filter.created_after not_a_time']],
  [
    { filter: { batch_id: '7', created_after: '2026-12-31' } },
    ['filter.batch_id bad_format', 'filter.created_after time_missing'],
  ],
  [{ voucher_ids: [] }, ['voucher_ids too_few']],
  [{ voucher_ids: Array(1_001).fill(`1-${nobody}`) }, ['voucher_ids too_many']],
  [{ voucher_ids: [`1-${nobody}`], filter: { text: 'x' } }, ['filter not_together']],
])('400: %j', async (body, fields) => {
  const before = await count('revocations')
  const answer = await revoke(body)

  expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request'])
  expect(answer.json().errors.map(({ field, code }: any) => `${field} ${code}`)).toEqual(fields)
  expect(await count('revocations')).toBe(before)
})

test('400: more than 10,000 vouchers, and nothing is done; 10,000 are fine', async () => {
  const large = await seedSite(app.db)
  await seedManyVouchers(app.db, large, 10_001)
  const before = [await count('revocations'), await count('withdrawals')]
  const filter = { text: 'Gast', site_id: [large] }
  const answer = await revoke({ filter })

  expect([answer.status, answer.json().error, answer.json().message]).toEqual([
    400,
    'vouchers_too_many',
    'The filter matches more than 10,000 vouchers. Narrow it. No voucher was revoked.',
  ])
  expect(answer.json().errors).toMatchObject([{ field: 'filter', code: 'too_many', allowed: { max_items: 10_000 } }])
  expect([await count('revocations'), await count('withdrawals')]).toEqual(before)
  await app.db.query(`delete from vouchers where site_id = $1 and name like '%Gast 1'`, [large])
  const accepted = await revoke({ filter }, { idempotencyKey: 'many' })
  expect(accepted.json().total).toBe(10_000)
  await seeded(large)
  expect((await revoke({ filter }, { idempotencyKey: 'many' })).json()).toEqual(accepted.json()) // the first answer
})

test('429: 50,000 withdrawals wait on the site; a check-out and a revocation on another site are still accepted', async () => {
  const [full, free] = [await seedSite(app.db), await seedSite(app.db)]
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'request', now(), now() from generate_series(1, 50000)`,
    [full],
  )
  const eleven = (siteId: number) => Promise.all(Array.from({ length: 11 }, () => seeded(siteId)))
  const refused = await revoke({ voucher_ids: await eleven(full) })

  expect([refused.status, refused.json().error, refused.headers['retry-after']]).toEqual([
    429,
    'withdrawals_too_many',
    '60',
  ])
  expect((await revoke({ voucher_ids: [await seeded(full)] })).status).toBe(202)
  expect((await revoke({ voucher_ids: await eleven(free) })).status).toBe(202)
})

test('429: when two concurrent revocations together exceed the limit of 50,000, one is rejected', async () => {
  const nearlyFull = await seedSite(app.db)
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'request', now(), now() from generate_series(1, 49990)`,
    [nearlyFull],
  )
  const voucher_ids = await Promise.all(Array.from({ length: 11 }, () => seeded(nearlyFull)))
  let answers: ReturnType<typeof revoke>[] = []
  await app.db.transaction(async (tx) => {
    await tx.query('lock table audit in share mode') // the first one waits here, after its count and before its commit
    answers = [revoke({ voucher_ids }), revoke({ voucher_ids })]
    await vi.waitFor(
      async () => {
        const { rows } = await app.db.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        expect(rows).toHaveLength(2)
      },
      { timeout: 20_000 },
    )
  })

  expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([202, 429])
})

test('403 for a read key; 404 for vouchers that do not exist or that the key may not see, and nothing is done', async () => {
  const [mine, foreign] = [await seeded(site), await seeded(other)]
  const before = [await count('revocations'), await count('withdrawals')]
  const missing = `${site}-${nobody}`

  expect((await revoke({ voucher_ids: [mine] }, { key: read })).status).toBe(403)
  expect((await app.call(`/api/v2/vouchers/${mine}`, { method: 'DELETE', key: read })).status).toBe(403)
  for (const id of [foreign, missing, 'x', `0-${nobody}`, `999999-${nobody}`])
    expect((await revoke({ voucher_ids: [mine, id] }, { key: atSite })).status).toBe(404)
  expect((await app.call(`/api/v2/vouchers/${foreign}`, { method: 'DELETE', key: atSite })).status).toBe(404)
  expect((await revoke({ filter: { text: 'Gast', site_id: [site, other] } }, { key: atSite })).status).toBe(404)
  expect([await count('revocations'), await count('withdrawals')]).toEqual(before)
})

test('a filter reaches only the sites of the key', async () => {
  const reference = 'only-mine'
  const mine = await seeded(site, { reference })
  await seeded(other, { reference })
  const { id } = (await revoke({ filter: { reference } }, { key: atSite })).json()

  expect(await rowsOf(id)).toEqual([mine])
})

test('only keys that may use all sites of a revocation see it', async () => {
  const { id } = (await revoke({ voucher_ids: [await seeded(site), await seeded(other)] })).json()
  const both = (await seedKey(app.db, { siteIds: [site, other] })).key
  for (const path of [`/revocations/${id}`, `/revocations/${id}/rows`]) {
    const statuses = [key, read, both, atSite].map(async (as) => (await get(path, as)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 404])
  }
  expect((await get(`/revocations/${nobody}`)).status).toBe(404)
  expect((await get(`/revocations/${id}/rows?cursor=MQ`)).status).toBe(400)
})

test('the same Idempotency-Key returns the same revocation, even if the filter would match others by now', async () => {
  const reference = 'again'
  await seeded(site, { reference })
  const body = { filter: { reference, created_after: '2020-01-01T00:00:00Z' } }
  const first = await revoke(body, { idempotencyKey: 'k1' })
  await seeded(site, { reference })
  const sameWish = { filter: { created_after: '2020-01-01T01:00:00+01:00', reference } }
  const second = await revoke(sameWish, { idempotencyKey: 'k1' })
  const mismatch = await revoke({ filter: { reference: 'other' } }, { idempotencyKey: 'k1' })
  const ofAnother = await revoke(body, { idempotencyKey: 'k1', key: atSite })

  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
  expect(second.json()).toEqual(first.json())
  expect([mismatch.status, mismatch.json().error]).toEqual([422, 'idempotency_mismatch'])
  expect([ofAnother.status, ofAnother.json().total]).toEqual([202, 2])
})

test('ten at once with one Idempotency-Key: one revocation', async () => {
  const ids = [await seeded(), await seeded(other)]
  const before = await count('withdrawals')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => revoke({ voucher_ids: ids }, { idempotencyKey: 'race' })),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
  expect(await count('withdrawals')).toBe(before + 2)
})

test('the list: newest first, in pages, and only revocations whose sites the key may use', async () => {
  await app.db.query('delete from withdrawals')
  await app.db.query('delete from revocations')
  const here = (await revoke({ voucher_ids: [await seeded()] })).json()
  const both = (await revoke({ voucher_ids: [await seeded(), await seeded(other)] })).json()
  const nothing = (await revoke({ filter: { reference: 'nobody has this' } })).json()
  const own = (await revoke({ filter: { reference: 'nobody has this' } }, { key: atSite })).json()
  await app.db.query(
    `update revocations set created_at = '2026-11-14T12:00:00Z'::timestamptz
       + make_interval(secs => array_position($1::uuid[], id))`,
    [[here.id, both.id, nothing.id, own.id]],
  )
  const idsFor = async (as: string, query = '') => {
    const { revocations, next_cursor } = (await get(`/revocations?${query}`, as)).json()
    return { ids: revocations.map(({ id }: { id: string }) => id), next_cursor }
  }

  expect((await idsFor(key)).ids).toEqual([own.id, nothing.id, both.id, here.id])
  expect((await idsFor(read)).ids).toEqual([own.id, nothing.id, both.id, here.id])
  expect((await idsFor(atSite)).ids).toEqual([own.id, here.id])
  const first = await idsFor(key, 'limit=3')
  const second = await idsFor(key, `limit=3&cursor=${first.next_cursor}`)
  expect([first.ids.length, second]).toEqual([3, { ids: [here.id], next_cursor: null }])
  expect((await get('/revocations')).json().revocations[3]).toEqual((await get(`/revocations/${here.id}`)).json())
  expect((await get('/revocations?cursor=garbage')).status).toBe(400)
})
