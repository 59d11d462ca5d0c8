import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedManyVouchers, seedSite, seedVoucher } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const site = await seedSite(app.db)
const other = await seedSite(app.db)

const download = (query = '', by = key) => app.call(`/api/v2/vouchers.csv?${query}`, { key: by })
const rowsOf = (text: string, delimiter = ','): Record<string, string>[] =>
  parse(text, { bom: true, columns: true, delimiter })

test('the list as a table: the same vouchers with the same filters, and no formulas', async () => {
  await seedVoucher(app.db, site, { name: '=1+1', code: '0861409510', reference: 'R-1' })
  await seedVoucher(app.db, site, { name: 'Zimmer 12', status: 'revoked' })
  await seedVoucher(app.db, other, { name: 'Zimmer 13' })
  const answer = await download()

  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(answer.headers['content-disposition']).toBe('attachment; filename="vouchers.csv"')
  const { vouchers } = (await app.call('/api/v2/vouchers', { key })).json()
  expect(rowsOf(answer.text).map(({ id }) => id)).toEqual(vouchers.map(({ id }: { id: string }) => id))
  const [row] = rowsOf((await download('reference=R-1&separator=;')).text, ';')
  expect(row).toMatchObject({
    site_id: String(site),
    code: '08614-09510',
    name: "'=1+1",
    status: 'valid',
    used_count: '0',
  })
  expect(rowsOf((await download(`site_id=${site}&status=revoked`)).text)).toHaveLength(1)
  expect(rowsOf((await download('text=nothing')).text)).toEqual([])
  const limited = (await seedKey(app.db, { siteIds: [other] })).key
  expect(rowsOf((await download('', limited)).text).map(({ name }) => name)).toEqual(['Zimmer 13'])
})

test('10,000 vouchers are a complete table; one more is an error', async () => {
  const big = await seedSite(app.db)
  await seedManyVouchers(app.db, big, 10_000)
  const ids = rowsOf((await download(`site_id=${big}`)).text).map(({ id }) => id)
  expect(new Set(ids).size).toBe(10_000)

  await seedVoucher(app.db, big)
  const tooMany = await download(`site_id=${big}`)
  expect([tooMany.status, tooMany.json().error]).toEqual([400, 'export_too_large'])
  expect(tooMany.json().errors).toMatchObject([{ field: 'query', code: 'too_many' }])
  expect(tooMany.headers).not.toHaveProperty('content-disposition')
})

test('400: a cursor or another separator', async () => {
  expect((await download('cursor=x')).status).toBe(400)
  expect((await download('separator=|')).status).toBe(400)
})
