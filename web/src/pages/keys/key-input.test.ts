import { expect, test } from 'vitest'
import type { Key } from '../../../../client/voucher-api.generated.ts'
import { changedFields } from '../../changed-fields.ts'
import { checkInput, emptyInput, inputOf, type KeyInput, toNewKey } from './key-input.ts'

const now = new Date('2026-11-16T12:00:00')
const filled = { ...emptyInput, name: ' Check-in ' }
const key = {
  name: 'Check-in',
  scope: 'manage',
  all_sites: false,
  site_ids: [1, 2],
  requests_per_minute: 120,
  expires_at: new Date('2027-03-31T10:00:00').toISOString(),
} as Key

test('a new key works until the end of its last day', () => {
  expect(toNewKey({ ...filled, expiry: '30' }, now)).toEqual({
    name: 'Check-in',
    scope: 'write',
    site_ids: null,
    requests_per_minute: 600,
    expires_at: new Date('2026-12-16T23:59:59').toISOString(),
    vouchers_per_day: null,
    longest_minutes: null,
  })
  expect(toNewKey({ ...filled, expiry: 'never', isUnlimited: true }, now)).toMatchObject({
    requests_per_minute: null,
    expires_at: null,
  })
})

test('each wrong field has its text', () => {
  expect(checkInput(filled, now)).toEqual({})
  expect(checkInput({ ...filled, name: ' ', sites: [], limit: 0, scope: 'manage', expiry: 'never' }, now)).toEqual({
    name: 'keys-page.wrong-name',
    sites: 'keys-page.wrong-sites',
    limit: 'keys-page.wrong-limit',
    expiry: 'keys-page.wrong-manage',
  })
  expect(checkInput({ ...filled, expiry: 'date' }, now)).toEqual({ expiry: 'keys-page.wrong-expiry' })
  expect(checkInput({ ...filled, expiry: 'date', date: '2026-11-15' }, now)).toEqual({
    expiry: 'keys-page.wrong-past',
  })
})

test('a change has only the fields that the person changed; an expiry that stays keeps its time', () => {
  const before = inputOf(key)
  const changeOf = (input: Partial<KeyInput>) => changedFields(toNewKey(before), toNewKey({ ...before, ...input }))

  expect(changeOf({})).toBeUndefined()
  expect(changeOf({ name: 'Neu', sites: 'all' })).toEqual({ name: 'Neu', site_ids: null })
  expect(changeOf({ isUnlimited: true })).toEqual({ requests_per_minute: null })
  expect(changeOf({ date: '2027-04-30' })).toEqual({
    expires_at: new Date('2027-04-30T23:59:59').toISOString(),
  })
})
