import { expect, test } from 'vitest'
import { forPeople } from './output.ts'

test('a list is a table with the field names of the API', () => {
  const rows = [
    { id: 1, rateLimit: 600, lastUsedAt: null, siteIds: [] },
    { id: 12, rateLimit: 0, lastUsedAt: new Date('2026-11-14T00:00:00Z'), siteIds: [1, 2] },
  ]

  expect(forPeople(rows)).toBe(
    [
      'id  rate_limit  last_used_at              site_ids',
      '1   600         -                         -',
      '12  0           2026-11-14T00:00:00.000Z  1,2',
    ].join('\n'),
  )
})

test('a single record is a list of lines', () => {
  expect(forPeople({ id: 1, rateLimit: 600 })).toBe('id          1\nrate_limit  600')
})

test('an empty list is "none"', () => {
  expect(forPeople([])).toBe('none')
})
