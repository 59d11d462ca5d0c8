import { expect, test } from 'vitest'
import { latestEnd, presentEnd } from './voucher-end.ts'

const at = '2026-11-18T10:00:00.000Z'

test('the present end is what the service says; without it, the minutes count from now', () => {
  expect(presentEnd({ ends_at: at, expire_minutes: 60 }, 0).toISOString()).toBe(at)
  expect(presentEnd({ ends_at: null, expire_minutes: 60 }, 0).getTime()).toBe(3_600_000)
})

test('the latest end is what the service says; without valid_until it is the end of the minutes', () => {
  const base = { valid_until: null, latest_valid_until: null, expires_at: null, expire_minutes: 60 }

  expect(latestEnd({ ...base, latest_valid_until: at }, 0)?.toISOString()).toBe(at)
  expect(latestEnd({ ...base, expires_at: at }, 0)?.toISOString()).toBe(at)
  expect(latestEnd(base, 0)?.getTime()).toBe(3_600_000)
  expect(latestEnd({ ...base, valid_until: at }, 0)).toBeNull()
})
