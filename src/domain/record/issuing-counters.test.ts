import { expect, test } from 'vitest'
import { limitReached } from './issuing-counters.ts'

test('the error names the counter that is full for the longest time, in whatever order the counters come', () => {
  const site = { scope: 'site:1', limit: 2, until: '2026-11-19T10:00:00+00:00', seconds: 600 }
  const person = { scope: 'staff:7', limit: 3, until: '2026-11-19T23:00:00+00:00', seconds: 47_400 }

  for (const full of [
    [site, person],
    [person, site],
  ])
    expect(limitReached(full)).toMatchObject({
      code: 'person_limit_reached',
      details: { limit: 3, until: '2026-11-19T23:00:00.000Z', seconds: 47_400 },
    })
})
