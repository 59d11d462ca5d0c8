import { expect, test } from 'vitest'
import { newestFirst } from './recent-vouchers.tsx'

test('vouchers of the desk and of a list are in the order of their creation, the newest first', () => {
  const row = (key: string | undefined, id: string, minute: number) => ({
    key,
    voucher: { id, created_at: `2026-11-18T10:0${minute}:00.000Z` },
  })
  const rows = [row('desk', 'a', 1), row(undefined, 'c', 2), row(undefined, 'b', 2), row(undefined, 'd', 0)]

  expect(newestFirst(rows).map(({ voucher }) => voucher.id)).toEqual(['c', 'b', 'a', 'd'])
})
