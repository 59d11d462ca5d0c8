import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { seedKey, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'

// The newest vouchers of one site come from memory while PostgreSQL says that nothing has changed.

const app = await startApp()
const { key, id: keyId } = await seedKey(app.db, { rateLimit: 0 })
const person = await seedPerson(app.db)
const site = await seedSite(app.db)
const path = `/api/v2/vouchers?site_id=${site}`
const statements = watchStatements()

beforeEach(async () => {
  await app.db.query('truncate vouchers')
})

const seed = (voucher: Parameters<typeof seedVoucher>[2] = {}) => seedVoucher(app.db, site, voucher)

async function list(): Promise<any[]> {
  const answer = await app.call(path, { key })
  expect(answer.status).toBe(200)
  return answer.json().vouchers
}

test('the answer is the same, byte by byte, with a filter that leaves out nothing', async () => {
  await seed({ name: '2026-11-14_"Gäste" \u2028 \\ 😀', apiKeyId: keyId, reference: 'R-1' })
  await seed({ status: 'used', usedCount: 1, expiresAt: new Date('2099-01-01T00:00:00.120Z') })
  await app.db.query('update vouchers set valid_until = $1 where used_count = 0', ['2099-01-01'])

  for (const limit of [1, 2, 50]) {
    const rendered = await app.call(`${path}&limit=${limit}`, { key })
    const again = await app.call(`${path}&limit=${limit}`, { key })
    const filtered = await app.call(`${path}&limit=${limit}&created_after=2000-01-01T00:00:00Z`, { key })
    expect([again.text, again.headers.etag]).toEqual([rendered.text, rendered.headers.etag])
    expect([filtered.text, filtered.headers.etag]).toEqual([rendered.text, rendered.headers.etag])
    expect(again.headers['content-type']).toBe(filtered.headers['content-type'])
  }
})

test('one statement when nothing changed, and one more when something did', async () => {
  const cost = async () => {
    statements.length = 0
    await list()
    return statements.map((text) => /(?:from|join|into) (api_key_secrets|vouchers|sites)\b/.exec(text)?.[1] ?? text)
  }
  await seed()

  expect(await cost()).toEqual(['api_key_secrets', 'vouchers'])
  expect(await cost()).toEqual(['api_key_secrets'])
  await seed()
  expect(await cost()).toEqual(['api_key_secrets', 'vouchers'])
})

describe('an answer in memory is not used any more', () => {
  test('once its key or person has another name', async () => {
    await seed({ apiKeyId: keyId })
    const id = await seed()
    await app.db.query('update vouchers set staff_id = $2 where id = $1', [id, person.id])
    const makers = async () => (await list()).map(({ created_by }) => created_by.name)
    const before = await makers()
    await app.db.query(`update api_keys set name = 'Renamed key' where id = $1`, [keyId])
    const between = await makers()
    await app.db.query(`update staff set name = 'Renamed person' where id = $1`, [person.id])

    expect(between).toEqual([before[0], 'Renamed key'])
    expect(await makers()).toEqual(['Renamed person', 'Renamed key'])
  })

  test('once one of its vouchers expires', async () => {
    await seed({ expiresAt: new Date(Date.now() + 1_000) })

    expect((await list())[0].status).toBe('valid')
    await expect.poll(async () => (await list())[0].status, { timeout: 60_000 }).toBe('expired')
  })

  test('once the key may not use the site any more', async () => {
    const limited = await seedKey(app.db, { siteIds: [site] })
    await seed()
    const before = await app.call(path, { key: limited.key })
    await app.db.query('delete from api_key_sites where api_key_id = $1', [limited.id])
    const after = await app.call(path, { key: limited.key })

    expect([before.status, after.status]).toEqual([200, 404])
  })
})
