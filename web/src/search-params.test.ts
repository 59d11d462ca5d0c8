import { expect, test } from 'vitest'
import { readAuditSearch } from './pages/audit/audit-search.ts'
import { readVoucherSearch } from './pages/vouchers/voucher-search.ts'
import { oneOf, pagePosition, searchReader, text, textLike, wholeNumber } from './search-params.ts'

const read = searchReader({
  q: text,
  id: textLike(/^[a-z]+$/),
  state: oneOf(['failed', 'pending']),
  days: oneOf([7, 90]),
  site: wholeNumber(1),
  ...pagePosition,
})
const nothing = { q: undefined, id: undefined, state: undefined, days: undefined, site: undefined }
const firstPage = { cursor: undefined, page: undefined }

test('valid parameters are kept; a text that looks like a number stays a text', () => {
  expect(read({ q: 42, id: 'abc', state: 'failed', days: 7, site: '3', cursor: 'c', page: 2 })).toEqual({
    q: '42',
    id: 'abc',
    state: 'failed',
    days: 7,
    site: 3,
    cursor: 'c',
    page: 2,
  })
  expect(read({ q: true }).q).toBe('true')
})

test.each([
  {},
  { q: '', id: '1', state: 'foo', days: 30, site: 0, page: 3 },
  { q: {}, id: 7, state: null, days: [7, 90], site: 1.5, cursor: 'c' },
  { q: null, id: [], state: ['x'], days: 'x', site: true, cursor: 5, page: 2 },
  { q: [], site: -1, cursor: 'c', page: 1 },
])('%j: every parameter is set to undefined, so that the router does not keep the value of the address', (search) => {
  expect(read(search)).toStrictEqual({ ...nothing, ...firstPage })
})

test.each([readAuditSearch, readVoucherSearch])('%o sets every parameter of its page', (readPage) => {
  const values = readPage({ page: 3 })
  expect(values).toMatchObject(firstPage)
  expect(Object.keys(values)).toEqual(expect.arrayContaining(['cursor', 'page']))
  expect(Object.values(values).every((value) => value === undefined)).toBe(true)
})
