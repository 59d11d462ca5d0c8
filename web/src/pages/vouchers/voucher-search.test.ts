import { expect, test } from 'vitest'
import { toListQuery } from './voucher-list-query.ts'
import { hasFilters, readVoucherSearch } from './voucher-search.ts'

const place = { siteId: 7, timeZone: 'Europe/Vienna', personId: 'anna', now: new Date('2026-11-15T22:30:00Z') }
const queryOf = (search: Record<string, unknown>) => toListQuery(readVoucherSearch(search), place)

test('digits and hyphens search the code, everything else the name', () => {
  expect(queryOf({ q: '4827-3' })).toEqual({ site_id: [7], code: '4827-3' })
  expect(queryOf({ q: 48273 })).toEqual({ site_id: [7], code: '48273' })
  expect(queryOf({ q: 'Zimmer 204' })).toEqual({ site_id: [7], text: 'Zimmer 204' })
  expect(queryOf({ q: ' Anna ' })).toEqual({ site_id: [7], text: 'Anna' })
  expect(queryOf({ q: ' ' })).toEqual({ site_id: [7] })
  expect(queryOf({ q: '-' })).toEqual({ site_id: [7], text: '-' })
})

test('a period begins at midnight of the site, and the API excludes the time itself', () => {
  expect(queryOf({ created: 'today' })).toEqual({ site_id: [7], created_after: '2026-11-14T22:59:59.999Z' })
  expect(queryOf({ created: '7d' })).toEqual({ site_id: [7], created_after: '2026-11-08T22:59:59.999Z' })
  expect(queryOf({ from: '2026-07-01', to: '2026-07-02', created: 'today' })).toEqual({
    site_id: [7],
    created_after: '2026-06-30T21:59:59.999Z',
    created_before: '2026-07-02T22:00:00.000Z',
  })
})

test('status, source and reference; an unknown value in the address filters nothing', () => {
  expect(queryOf({ status: 'used,valid,x', source: 'me', reference: 'R-1' })).toEqual({
    site_id: [7],
    status: ['valid', 'used'],
    created_by: 'anna',
    reference: 'R-1',
  })
  expect(queryOf({ source: 'controller' })).toEqual({ site_id: [7], source: 'controller' })
  const nonsense = readVoucherSearch({ status: 'x', source: 'x', created: 'x', from: 'x', q: {}, page: -1 })
  expect(hasFilters(nonsense)).toBe(false)
  expect(toListQuery(nonsense, { ...place, siteId: undefined })).toEqual({})
})

test('the vouchers of one person or key, instead of a source', () => {
  const by = '019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2'

  expect(queryOf({ by, source: 'key' })).toEqual({ site_id: [7], created_by: by })
  expect(hasFilters(readVoucherSearch({ by }))).toBe(true)
  expect(queryOf({ by: 'anna' })).toEqual({ site_id: [7] })
})

test('a day that no calendar has filters nothing', () => {
  expect(queryOf({ from: '2027-02-31', to: '2027-13-01' })).toEqual({ site_id: [7] })
})
