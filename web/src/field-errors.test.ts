import { expect, test } from 'vitest'
import { ApiError } from './api.ts'
import { fieldErrors } from './field-errors.ts'

const known = ['name', 'sites', 'email']
const invalid = (...fields: string[]) =>
  new ApiError('invalid_request', 'Wrong', {
    status: 422,
    errors: fields.map((field) => ({ field, code: 'not_usable', message: `${field} is wrong`, allowed: null })),
  })

test('messages of the API belong to the fields of the form, under the names of the form', () => {
  expect(fieldErrors(invalid('name', 'site_ids'), { known, fields: { site_ids: 'sites' } })).toEqual({
    name: 'name is wrong',
    sites: 'site_ids is wrong',
  })
})

test('an error code can belong to a field, with the text of the API or a better one', () => {
  const taken = new ApiError('email_taken', 'Somebody has this address')

  expect(fieldErrors(taken, { known, fields: { email_taken: 'email' } })).toEqual({
    email: 'Somebody has this address',
  })
  expect(fieldErrors(taken, { known, fields: { email_taken: 'email' }, texts: { email_taken: 'Taken' } })).toEqual({
    email: 'Taken',
  })
})

test('a failure that is about no field of the form has no field errors', () => {
  expect(fieldErrors(invalid('max_uses'), { known })).toEqual({})
  expect(fieldErrors(new ApiError('no_answer', ''), { known })).toEqual({})
  expect(fieldErrors(new Error('a bug'), { known })).toEqual({})
})
