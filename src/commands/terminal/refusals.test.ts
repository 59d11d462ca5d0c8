import { expect, test } from 'vitest'
import { DomainError } from '#domain/errors.ts'
import { describeRefusal } from './refusals.ts'

test('an error with words for the terminal: the details fill them, and the cause is left out', () => {
  const error = new DomainError('key_not_found', { details: { named: 'vsk_1' }, cause: new Error('secret') })

  expect(describeRefusal(error)).toBe(
    'No key has the prefix or id vsk_1. List all keys with `voucher-service keys list`.',
  )
})

test('an error whose words also serve API clients: the English text, and the cause', () => {
  expect(describeRefusal(new DomainError('logo_too_large', { details: { maxKiB: 64 } }))).toBe(
    'The logo is larger than 64 KiB. Make it smaller.',
  )
  expect(describeRefusal(new DomainError('controller_busy', { cause: new Error('429') }))).toBe(
    'The controller is busy. No voucher was created. (429)',
  )
})

test('a detail is printed as it is, even if it looks like a placeholder', () => {
  expect(describeRefusal(new DomainError('controller_name_taken', { details: { name: '{max}', max: 3 } }))).toContain(
    '"{max}"',
  )
})

test('an error of a field that commands do not have: its code', () => {
  expect(describeRefusal(new DomainError('site_id_required'))).toBe('The request failed (site_id_required).')
})
