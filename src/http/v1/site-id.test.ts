import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedVoucher } from '#test/data/seed.ts'
import { toSiteId } from './lenient-input.ts'

const app = await startApp()
const { key } = await seedKey(app.db)

/** The contract's table: what a client sends as `site_id`, and the site that is meant. */
const accepted: [unknown, number][] = [
  [1, 1],
  [1.0, 1],
  ['1', 1],
  [' 1', 1],
  ['1 ', 1],
  ['+1', 1],
  [1.9, 1],
  ['1.9', 1],
  [1e3, 1000],
  ['1e3', 1000],
  ['010', 10],
  ['12abc', 12],
  ['1_000', 1],
  ['5.', 5],
  ['.5e1', 5],
  ['\t1', 1],
  ['\n1', 1],
  ['1e', 1],
  ['1e+', 1],
  ['1.5.5', 1],
  ['2147483647', 2147483647],
]
const refused: unknown[] = [
  0,
  -1,
  0.9,
  -0.5,
  1e-7,
  'abc',
  '',
  '0x1A',
  '١',
  '\u00a01',
  null,
  false,
  true,
  [],
  [5],
  {},
  { a: 1 },
  Number('1E400'),
  '1e1000',
  '-1',
  '+',
  '.',
  '--1',
  '+-1',
  '\u20031',
  'NaN',
  'Infinity',
  undefined,
]
const tooLarge: unknown[] = [
  2147483648,
  '2147483648',
  1e308,
  '99999999999999999999999',
  '9'.repeat(400),
  '1e300',
  9007199254740992,
]

test.each(accepted)('site_id %j is site %i', (value, site) => {
  expect(toSiteId(value)).toBe(site)
})

test.each(refused.map((value) => [value]))('site_id %j is rejected', (value) => {
  expect(toSiteId(value)).toBeUndefined()
})

test.each(tooLarge.map((value) => [value]))('site_id %j is an id that no site has', (value) => {
  expect(toSiteId(value)).toBe('none')
})

test.each(accepted.filter(([value]) => typeof value === 'string'))(
  'GET ?site_id=%j lists site %i',
  async (value, site) => {
    await app.db.query('delete from vouchers')
    await seedVoucher(app.db, site, { code: `of ${site}` })

    const answer = await app.call(`/api/vouchers.php?site_id=${encodeURIComponent(value as string)}`, { key })

    expect(answer.json().vouchers.map((voucher: any) => voucher.voucher_code)).toEqual([`of ${site}`])
  },
)

test.each(tooLarge.map((value) => [String(value)]))('GET ?site_id=%s gives an empty list', async (value) => {
  const answer = await app.call(`/api/vouchers.php?site_id=${value}`, { key })

  expect([answer.status, answer.json()]).toEqual([200, { vouchers: [] }])
})

const refusedQueries = [
  '',
  '?',
  '?site_id',
  '?site_id=',
  '?site_id[]=9',
  '?site_id%5B%5D=9',
  '?site.id=3',
  '?site%20id=3',
  '?SITE_ID=3',
  '?siteid=3',
  ...refused.filter((value) => typeof value === 'string').map((value) => `?site_id=${encodeURIComponent(value)}`),
  '?site_id=%00',
  '?site_id=%ff1',
  '?site_id=%zz',
  '?site_id=-5',
  '?site_id=0',
  '?site_id=0.9',
  '?site_id=1&site_id=x',
  '?site_id=false',
]

test.each(refusedQueries)('400 site_id erforderlich: GET /vouchers.php%s', async (query) => {
  const answer = await app.call(`/api/vouchers.php${query}`, { key })

  expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message: 'site_id erforderlich' }])
})

test('of several site_id the last one counts', async () => {
  await app.db.query('delete from vouchers')
  await seedVoucher(app.db, 2, { code: 'of 2' })

  const answer = await app.call('/api/vouchers.php?site_id=1&site_id=2', { key })

  expect(answer.json().vouchers).toMatchObject([{ voucher_code: 'of 2' }])
})

test('a plus in the query is a space', async () => {
  await app.db.query('delete from vouchers')
  await seedVoucher(app.db, 7, { code: 'of 7' })

  expect((await app.call('/api/vouchers.php?site_id=+7', { key })).json().vouchers).toHaveLength(1)
})
