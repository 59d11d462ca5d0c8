import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite, seedVoucher } from '#test/seed.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'

const app = await startApp()
const site = await seedSite(app.db)
const other = await seedSite(app.db)
const voucher = `${site}-${await seedVoucher(app.db, site)}`
const nobody = '00000000-0000-7000-8000-000000000000'

const keys = {
  'no key': undefined,
  'a read key': (await seedKey(app.db)).key,
  'a write key': (await seedKey(app.db, { scope: 'write' })).key,
  'a key for this site': (await seedKey(app.db, { siteIds: [site] })).key,
  'a key for another site': (await seedKey(app.db, { siteIds: [other] })).key,
  'an expired key': (await seedKey(app.db, { expiresAt: new Date(Date.now() - 1000) })).key,
  'a revoked key': await revokedKey(),
}

const seeing = { 'a read key': 200, 'a write key': 200, 'a key for this site': 200 }
const barred = { 'no key': 401, 'an expired key': 401, 'a revoked key': 401 }
const hidden = { ...seeing, ...barred, 'a key for another site': 404 }

const revocation = await revocationOfThisSite()
/** Only a key that may write comes so far that it could be told 202. */
const barredFromWriting = { ...barred, 'a read key': 403, 'a key for this site': 403, 'a key for another site': 403 }
const revoking = {
  body: JSON.stringify({ voucher_ids: [voucher] }),
  statuses: { ...barredFromWriting, 'a write key': 202 },
}

const expected: Record<string, { path: string; body?: string; statuses: Record<string, number> }[]> = {
  listSites: [{ path: '/sites', statuses: { ...seeing, ...barred, 'a key for another site': 200 } }],
  findSite: [{ path: `/sites/${site}`, statuses: hidden }],
  listVouchers: [
    { path: '/vouchers', statuses: { ...seeing, ...barred, 'a key for another site': 200 } },
    { path: `/vouchers?site_id=${site}`, statuses: hidden },
  ],
  lookUpVoucher: [{ path: `/vouchers/lookup?site_id=${site}&code=48614-09510`, statuses: hidden }],
  findVoucher: [{ path: `/vouchers/${voucher}`, statuses: hidden }],
  revokeVoucher: [{ path: `/vouchers/${voucher}`, statuses: revoking.statuses }],
  revokeVouchers: [{ path: '/revocations', ...revoking }],
  findRevocation: [{ path: `/revocations/${revocation}`, statuses: hidden }],
  listRevocationRows: [{ path: `/revocations/${revocation}/rows`, statuses: hidden }],
}

test('every operation is here', () => {
  expect(Object.keys(expected)).toEqual(operations.map(({ operationId }) => operationId))
})

describe.each(Object.entries(expected))('%s', (operationId, rows) => {
  const { path: pattern, method } = operations.find((operation) => operation.operationId === operationId) as Operation
  const allowed = operations.filter(({ path }) => path === pattern).map((operation) => operation.method as string)
  const cases = rows.flatMap(({ path, body, statuses }) =>
    Object.entries(statuses).map(([who, status]) => ({ path, body, who, status })),
  )

  test.each(cases)('$status: $who', async ({ path, body, who, status }) => {
    const key = keys[who as keyof typeof keys]
    const options = { method, ...(body !== undefined && { body }), ...(key !== undefined && { key }) }

    expect((await app.call(`/api/v2${path}`, options)).status).toBe(status)
  })

  test('405: every other method, with a key; 401 without', async () => {
    const url = `/api/v2${rows[0]?.path}`
    const others = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']
    for (const method of others.filter((other) => !allowed.includes(other))) {
      const answer = await app.call(url, { method, key: keys['a read key'] as string })
      expect([answer.status, answer.headers.allow]).toEqual([405, allowed.join(', ')])
      expect((await app.call(url, { method })).status).toBe(401)
    }
  })
})

test('what one may not see is answered exactly like what does not exist', async () => {
  const key = keys['a key for another site'] as string
  const pairs = [
    [`/sites/${site}`, '/sites/999999'],
    [`/vouchers?site_id=${site}`, '/vouchers?site_id=999999'],
    [`/vouchers/${voucher}`, `/vouchers/${other}-${nobody}`],
    [`/revocations/${revocation}`, `/revocations/${nobody}`],
    [`/revocations/${revocation}/rows`, `/revocations/${nobody}/rows`],
    [`/vouchers/lookup?code=4861409510&site_id=${site}`, `/vouchers/lookup?code=4861409510&site_id=${other}`],
  ]
  for (const paths of pairs) {
    const answers = await Promise.all(paths.map((path) => app.call(`/api/v2${path}`, { key })))
    const [hiddenOne, missing] = answers.map(({ status, headers, json }) => {
      const { request_id: _, ...body } = json()
      return { status, body, names: Object.keys(headers).toSorted() }
    })
    expect(hiddenOne).toEqual(missing)
    expect(hiddenOne?.status).toBe(404)
  }
})

test('a list over all sites holds only the sites of the key', async () => {
  const idsFor = async (who: keyof typeof keys) =>
    (await app.call('/api/v2/vouchers', { key: keys[who] as string })).json().vouchers.map(({ id }: any) => id)

  expect(await idsFor('a key for this site')).toEqual([voucher])
  expect(await idsFor('a key for another site')).toEqual([])
})

async function revocationOfThisSite(): Promise<string> {
  const url = `/api/v2/vouchers/${voucher}`
  return (await app.call(url, { method: 'DELETE', key: keys['a write key'] })).json().id
}

async function revokedKey(): Promise<string> {
  const { id, key } = await seedKey(app.db)
  await app.db.query('update api_keys set revoked_at = now() where id = $1', [id])
  return key
}
