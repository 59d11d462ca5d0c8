import { expect, test } from 'vitest'
import type { Template } from '../../../../client/voucher-api.generated.ts'
import { addDays, toInstant, toWallTime } from '../voucher/zoned-time.ts'
import { checkInput, type DeskInput, limitsOf, toRequest } from './desk-input.ts'

const facts = { site_id: 7, time_zone: 'Europe/Vienna', room_days: 3, can_send_email: true }
const template = { id: 't1', expire_minutes: 240, max_uses: 2, qos: { down_kbps: 20_000, up_kbps: 0, quota_mb: 0 } }
const input = (changes: Partial<DeskInput['limits']> = {}): DeskInput => ({
  name: ' Room 204 ',
  choice: 'custom',
  limits: { ...limitsOf(template as Template, 'Europe/Vienna'), ...changes },
})

test.each([
  ['2026-11-18 11:00:00', 'Europe/Vienna', '2026-11-18T10:00:00.000Z'],
  ['2026-07-18 11:00:00', 'Europe/Vienna', '2026-07-18T09:00:00.000Z'],
  ['2026-11-18 11:00:00', 'America/New_York', '2026-11-18T16:00:00.000Z'],
  ['2026-10-25 04:00:00', 'Europe/Vienna', '2026-10-25T03:00:00.000Z'], // the clocks were put back at 3:00
  ['2026-10-25 01:30:00', 'Europe/Vienna', '2026-10-24T23:30:00.000Z'],
  ['2026-03-29 03:30:00', 'Europe/Vienna', '2026-03-29T01:30:00.000Z'], // they were put forward at 2:00
  ['2026-11-18 00:00:00', 'Pacific/Kiritimati', '2026-11-17T10:00:00.000Z'],
])('%s in %s is %s', (wall, timeZone, instant) => {
  expect(toInstant(wall, timeZone).toISOString()).toBe(instant)
  expect(toWallTime(new Date(instant), timeZone)).toBe(wall)
})

test('days are calendar days: the time of day stays when the clocks change', () => {
  expect(addDays('2026-10-24 11:00:00', 3)).toBe('2026-10-27 11:00:00')
  expect(addDays('2026-12-30 11:00:00', 3)).toBe('2027-01-02 11:00:00')
})

test('a template is sent by its id only, so that its limits apply', () => {
  expect(toRequest({ ...input(), choice: 't1' }, facts)).toEqual({ site_id: 7, name: 'Room 204', template_id: 't1' })
})

test('customising begins with the limits of the template', () => {
  expect(toRequest(input(), facts)).toEqual({
    site_id: 7,
    name: 'Room 204',
    expire_minutes: 240,
    max_uses: 2,
    qos: { down_kbps: 20_000, up_kbps: 0, quota_mb: 0 },
  })
})

test('an end is in the time zone of the site, and leaves room to extend the stay', () => {
  expect(toRequest(input({ unit: 'until', until: '2026-11-18 11:00:00', reference: 'R-1' }), facts)).toMatchObject({
    valid_until: '2026-11-18T10:00:00.000Z',
    extendable_until: '2026-11-21T10:00:00.000Z',
    reference: 'R-1',
  })
  expect(toRequest(input({ unit: 'until' }), { ...facts, room_days: 0 })).not.toHaveProperty('extendable_until')
})

test('an address is sent with the voucher, unless it is empty or the site cannot send e-mail', () => {
  const message = { email: ' gast@example.org ', language: 'pl' } as const
  const sent = (some: object, where = facts) => toRequest({ ...input(), ...some }, where).message

  expect(sent({ message })).toEqual({ email: 'gast@example.org', language: 'pl' })
  expect(sent({ message: { ...message, email: ' ' } })).toBeUndefined()
  expect(sent({ message }, { ...facts, can_send_email: false })).toBeUndefined()
})

test('a value that the service would reject has an error at its field', () => {
  const now = Date.parse('2026-11-18T10:00:00Z')
  const check = (some: DeskInput) => checkInput(some, 'Europe/Vienna', { now })

  expect(check({ ...input(), name: '  ' })).toEqual({ name: 'name' })
  expect(check({ ...input(), message: { email: 'gast', language: 'de' } })).toEqual({ email: 'email' })
  expect(check(input({ amount: '' }))).toEqual({ amount: 'amount' })
  expect(check(input({ unit: 'until', until: '2026-11-18 11:00:00' }))).toEqual({ until: 'until' })
  expect(check(input({ unit: 'until', until: '2026-11-18 11:01:00' }))).toEqual({})
})
