import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite, seedVoucher } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const urls = (await Promise.all([startService(db.url), startService(db.url), startService(db.url)])).map(
  ({ url }) => url,
)

test('a committed change is in the next list of every process, 200 times in a row', async () => {
  const site = await seedSite(db)
  const { key } = await seedKey(db)
  for (let i = 0; i < 200; i++) {
    await seedVoucher(db, site, { code: `code-${i}` })
    const lists = await Promise.all(
      urls.map((url) => call(`${url}/api/vouchers.php?site_id=${site}`, { headers: { 'x-api-key': key } })),
    )
    expect(lists.map((list) => list.json().vouchers[0].voucher_code)).toEqual(urls.map(() => `code-${i}`))
  }
})

test('a concurrent reader never sees an older list again', async () => {
  const site = await seedSite(db)
  const { key } = await seedKey(db)
  let writing = true
  const readers = urls.map(async (url) => {
    let seen = 0
    while (writing) {
      const answer = await call(`${url}/api/vouchers.php?site_id=${site}`, { headers: { 'x-api-key': key } })
      const length = answer.json().vouchers.length
      expect(length).toBeGreaterThanOrEqual(seen)
      seen = length
    }
  })

  for (let i = 0; i < 150; i++) await seedVoucher(db, site)
  writing = false

  await Promise.all(readers)
})
