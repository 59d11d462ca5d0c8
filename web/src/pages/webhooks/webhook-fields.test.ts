import { expect, test } from 'vitest'
import { changedFields } from '../../changed-fields.ts'
import { changeableFields, type WebhookValues } from './webhook-fields.tsx'

const before: WebhookValues = {
  name: 'Kasse',
  format: 'slack',
  url: '',
  events: ['voucher.created', 'voucher.revoked'],
  sites: [3, 12],
  language: 'de',
}

test('an edit sends only the fields that the person changed', () => {
  const changeOf = (values: Partial<WebhookValues>, from = before) =>
    changedFields(changeableFields(from), changeableFields({ ...before, ...values }))

  expect(changeOf({})).toBeUndefined()
  expect(changeOf({ name: ' Kasse ', events: ['voucher.revoked', 'voucher.created'], sites: [12, 3] })).toBeUndefined()
  expect(changeOf({ name: 'Bar' })).toEqual({ name: 'Bar' })
  expect(changeOf({ sites: 'all' })).toEqual({ site_ids: null })
  expect(changeOf({ sites: [3], language: 'en' })).toEqual({ site_ids: [3], language: 'en' })
  expect(changeOf({ events: ['voucher.created'] })).toEqual({ events: ['voucher.created'] })
  expect(changeOf({ sites: [3] }, { ...before, sites: 'all' })).toEqual({ site_ids: [3] })
})
