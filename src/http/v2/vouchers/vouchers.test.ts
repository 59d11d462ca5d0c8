import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { type SeedVoucher, seedKey, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'

const app = await startApp()
const { key, id: keyId } = await seedKey(app.db)
const site = await seedSite(app.db)
const other = await seedSite(app.db)
const minute = 60_000
const past = new Date(Date.now() - minute)
const future = new Date(Date.now() + 60 * minute)

beforeEach(async () => {
  await app.db.query('truncate vouchers')
})

const seed = (voucher: SeedVoucher = {}, at = site) => seedVoucher(app.db, at, voucher)

async function list(query = ''): Promise<any[]> {
  const answer = await app.call(`/api/v2/vouchers?${query}`, { key })
  expect(answer.status).toBe(200)
  return answer.json().vouchers
}

const namesOf = (vouchers: any[]) => vouchers.map(({ name }) => name)

test('a voucher with all its fields, the same in the list, by id and by code', async () => {
  const batchId = randomUUID()
  const createdAt = new Date('2026-11-14T22:46:00.123Z')
  const id = `${site}-${await seed({ createdAt, reference: 'R-17', apiKeyId: keyId, batchId })}`

  const [listed] = await list()

  expect(listed).toEqual({
    id,
    site_id: site,
    code: '4861409510',
    formatted_code: '48614-09510',
    name: 'Gast',
    controller_name: '2026-11-14_Gast',
    reference: 'R-17',
    status: 'valid',
    max_uses: 1,
    used_count: 0,
    expire_minutes: 480,
    qos: { down_kbps: 0, up_kbps: 0, quota_mb: 0 },
    created_at: '2026-11-14T22:46:00.123Z',
    first_used_at: null,
    expires_at: null,
    valid_until: null,
    latest_valid_until: null,
    unused_until: null,
    ends_at: null,
    revoked_at: null,
    synced_at: null,
    created_by: { kind: 'key', id: keyId, name: expect.any(String) },
    batch_id: `${site}-${batchId}`,
  })
  expect((await app.call(`/api/v2/vouchers/${id}`, { key })).json()).toEqual(listed)
  expect((await app.call('/api/v2/vouchers/lookup?code=4861409510', { key })).json().vouchers).toEqual([listed])
})

test('a valid voucher whose time has run out is expired, in the answer and in the filter', async () => {
  await seed({ name: 'over', expiresAt: past, createdAt: new Date(1000) })
  await seed({ name: 'running', expiresAt: future, createdAt: new Date(2000) })
  await seed({ name: 'unused', createdAt: new Date(3000) })
  await seed({ name: 'expired', status: 'expired', createdAt: new Date(4000) })
  await seed({ name: 'revoked', status: 'revoked', expiresAt: past, createdAt: new Date(5000) })

  expect((await list()).map(({ status }) => status)).toEqual(['revoked', 'expired', 'valid', 'valid', 'expired'])
  expect(namesOf(await list('status=valid'))).toEqual(['unused', 'running'])
  expect(namesOf(await list('status=expired'))).toEqual(['expired', 'over'])
  expect(namesOf(await list('status=revoked'))).toEqual(['revoked'])
  expect(namesOf(await list('status=revoked&status=valid&status=valid'))).toEqual(['revoked', 'unused', 'running'])
  expect(namesOf(await list(`status=expired&status=valid&site_id=${site}`))).toEqual([
    'expired',
    'unused',
    'running',
    'over',
  ])
  expect((await app.call('/api/v2/vouchers?status=gone', { key })).status).toBe(400)
  expect(namesOf(await list(`status=expired&site_id=${site}`))).toEqual(['expired', 'over'])
})

describe('filters', () => {
  beforeEach(async () => {
    await seed({ name: 'Frau 100%_Öz', code: '1111100000', reference: 'R-1', createdAt: new Date(1000) })
    await seed({ name: 'Herr Maier', code: '1111122222', apiKeyId: keyId, createdAt: new Date(2000) })
    await seed({ name: 'Nachbar', code: '3333344444', reference: 'R-1', createdAt: new Date(3000) }, other)
  })

  test.each([
    ['', ['Nachbar', 'Herr Maier', 'Frau 100%_Öz']],
    [`site_id=${site}`, ['Herr Maier', 'Frau 100%_Öz']],
    [`site_id=${site}&site_id=${other}`, ['Nachbar', 'Herr Maier', 'Frau 100%_Öz']],
    [`site_id=${site}&site_id=${site}`, ['Herr Maier', 'Frau 100%_Öz']],
    ['text=MAI', ['Herr Maier']],
    ['text=0%25_', ['Frau 100%_Öz']],
    ['text=%25a', []],
    ['text=%C3%B6z', ['Frau 100%_Öz']],
    ['reference=R-1', ['Nachbar', 'Frau 100%_Öz']],
    ['reference=R', []],
    [`created_by=${keyId}`, ['Herr Maier']],
    [`created_by=${keyId}&site_id=${site}`, ['Herr Maier']],
    ['source=key', ['Herr Maier']],
    [`source=key&site_id=${site}&status=valid`, ['Herr Maier']],
    ['source=staff', []],
    [`source=key&site_id=${site}&site_id=${other}`, ['Herr Maier']],
    [`source=staff&site_id=${site}`, []],
    [`source=controller&site_id=${site}`, ['Frau 100%_Öz']],
    ['source=controller', ['Nachbar', 'Frau 100%_Öz']],
    [`batch_id=${site}-${randomUUID()}`, []],
    ['created_after=1970-01-01T00:00:01Z', ['Nachbar', 'Herr Maier']],
    ['created_before=1970-01-01T00:00:03Z', ['Herr Maier', 'Frau 100%_Öz']],
    ['code=11111', ['Herr Maier', 'Frau 100%_Öz']],
    ['code=11111-2%202', ['Herr Maier']],
    ['code=2', []],
    [`text=r&code=1&site_id=${site}&status=valid`, ['Herr Maier', 'Frau 100%_Öz']],
  ])('%s', async (query, names) => {
    expect(namesOf(await list(query))).toEqual(names)
  })
})

test('vouchers of several keys and of people are listed and exported by source, newest first, page by page', async () => {
  const people = [(await seedPerson(app.db)).id, (await seedPerson(app.db)).id]
  const second = await seedKey(app.db)
  for (const [at, maker] of [keyId, second.id, keyId, second.id].entries())
    await seed({ name: `key ${at}`, apiKeyId: maker, createdAt: new Date(1000 * at) })
  for (const [at, maker] of people.entries()) {
    const id = await seed({ name: `person ${at}`, createdAt: new Date(1000 * at) }, other)
    await app.db.query('update vouchers set staff_id = $1 where id = $2', [maker, id])
  }
  await seed({ name: 'controller' })
  const keys = ['key 3', 'key 2', 'key 1', 'key 0']
  const page = async (query: string) => (await app.call(`/api/v2/vouchers?${query}`, { key })).json()
  const first = await page(`source=key&site_id=${site}&limit=3`)
  const last = await page(`source=key&site_id=${site}&limit=3&cursor=${first.next_cursor}`)
  const table = await app.call('/api/v2/vouchers.csv?source=staff', { key })

  for (const query of ['source=key', `source=key&site_id=${site}`, 'source=key&status=valid', 'source=key&text=key'])
    expect(namesOf(await list(query)), query).toEqual(keys)
  expect(namesOf(await list('source=staff'))).toEqual(['person 1', 'person 0'])
  expect([...namesOf(first.vouchers), ...namesOf(last.vouchers)]).toEqual(keys)
  expect(table.text.match(/person \d|key \d|controller$/gm)).toEqual(['person 1', 'person 0'])
})

test('by ids: these vouchers of any site; 404 if the key may not see one of the sites, 400 for a text that is no id', async () => {
  const ids = [`${site}-${await seed({ name: 'a' })}`, `${other}-${await seed({ name: 'b' }, other)}`]
  await seed({ name: 'c' })
  const query = ids.map((id) => `id=${id}`).join('&')
  const limited = await seedKey(app.db, { siteIds: [site] })

  expect(namesOf(await list(query)).toSorted()).toEqual(['a', 'b'])
  expect(namesOf(await list(`${query}&site_id=${site}`))).toEqual(['a'])
  expect((await app.call(`/api/v2/vouchers?${query}`, { key: limited.key })).status).toBe(404)
  expect((await app.call('/api/v2/vouchers?id=x', { key })).status).toBe(400)
})

test.each(['', `site_id=${site}`, 'status=expired'])(
  'pages (%s): each voucher once in order, while others come in and share a time',
  async (filter) => {
    for (let i = 0; i < 7; i++) {
      const expiring = i % 2 === 0 ? { status: 'expired' } : { expiresAt: past }
      await seed({ name: String(i), createdAt: new Date(1000 + Math.floor(i / 3)), ...expiring })
    }
    const all = namesOf(await list(filter))
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: any = await app.call(`/api/v2/vouchers?limit=3&${filter}${cursor && `&cursor=${cursor}`}`, { key })
      seen.push(...namesOf(answer.json().vouchers))
      cursor = answer.json().next_cursor
      await seed({ name: 'new', status: 'expired' })
    }

    expect(seen).toEqual(all)
    expect(new Set(seen)).toHaveLength(7)
  },
)

test('304 while nothing changed, 200 once it did', async () => {
  await seed()
  const path = `/api/v2/vouchers?site_id=${site}`
  const etag = (await app.call(path, { key })).headers.etag as string
  const again = (tags: string) => app.call(path, { key, headers: { 'if-none-match': tags } })

  for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) expect((await again(tags)).status).toBe(304)
  expect((await again('"x"')).status).toBe(200)
  await seed()
  const changed = await again(etag)
  expect([changed.status, changed.headers.etag === etag]).toEqual([200, false])
})
