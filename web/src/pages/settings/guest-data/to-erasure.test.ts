import { expect, test } from 'vitest'
import { toErasure } from './to-erasure.ts'

const huber = { site_id: 1, name: 'Huber', site: 'Adler', vouchers: 2 }

test('only the site and the name of a guest are sent, and what somebody chose', () => {
  expect(toErasure([huber], { reason: 'guest_asked', valid: 'after_end' })).toEqual({
    guests: [{ site_id: 1, name: 'Huber' }],
    reason: 'guest_asked',
    valid: 'after_end',
  })
})

test('without a choice, nothing that still works is erased', () => {
  expect(toErasure([huber], { reason: 'mistake', valid: '' }).valid).toBe('refuse')
})
