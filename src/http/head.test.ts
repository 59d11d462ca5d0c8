import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedBatch, seedKey, seedSite, seedVoucher } from '#test/data/seed.ts'
import { type Answer, call } from '#test/network/http-client.ts'

const app = await startApp()
const site = await seedSite(app.db)
const { key } = await seedKey(app.db, { rateLimit: 0 })
const voucher = `${site}-${await seedVoucher(app.db, site)}`
const batch = `${site}-${await seedBatch(app.db, site)}`

const varying = ['date', 'x-request-id', 'connection', 'keep-alive']

function shown({ status, headers }: Answer) {
  return { status, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !varying.includes(name))) }
}

test.each([
  '/',
  '/healthz',
  '/readyz',
  '/reference',
  '/api/v2/openapi.json',
  '/api/v2/sites',
  '/api/v2/sites/999999',
  '/api/v2/vouchers?limit=x',
  `/api/v2/vouchers/${voucher}`,
])('HEAD %s has the status and the headers of GET, and no body', async (path) => {
  const headers = { authorization: `Bearer ${key}` }
  const got = await call(app.url + path, { headers })
  const head = await call(app.url + path, { method: 'HEAD', headers })

  expect(shown(head)).toEqual(shown(got))
  expect(head.text).toBe('')
  expect(got.text).not.toBe('')
  expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(got.text))
})

test('HEAD of a CSV file has the status and the headers of GET, except for how the body is sent', async () => {
  const path = `/api/v2/batches/${batch}/vouchers.csv`
  const got = await app.call(path, { key })
  const head = await app.call(path, { key, method: 'HEAD' })
  const { 'transfer-encoding': encoding, ...others } = shown(got).headers

  expect(shown(head)).toEqual({ status: 200, headers: others })
  expect([encoding, head.text]).toEqual(['chunked', ''])
})

test('HEAD with the ETag of an unchanged answer: 304', async () => {
  const { headers } = await app.call(`/api/v2/vouchers/${voucher}`, { key })
  const request = { method: 'HEAD', key, headers: { 'if-none-match': headers.etag as string } }

  expect((await app.call(`/api/v2/vouchers/${voucher}`, request)).status).toBe(304)
})

test('HEAD of an operation that has no GET: 405', async () => {
  const answer = await app.call(`/api/v2/batches/${voucher}/cancel`, { method: 'HEAD', key })

  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
})
