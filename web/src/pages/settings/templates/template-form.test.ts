import { expect, test } from 'vitest'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { formValuesOf, limitsOf } from './template-form.ts'

const template: Template = {
  id: 'x',
  site_id: null,
  name: 'Day',
  max_uses: 2,
  expire_minutes: 1440,
  qos: { down_kbps: 0, up_kbps: 0, quota_mb: 0 },
  unused_days: null,
  automatic_name: false,
  is_default: false,
}

test.each([
  [90, 90, 'minutes'],
  [480, 8, 'hours'],
  [1440, 1, 'days'],
  [20_160, 2, 'weeks'],
])('%i minutes are shown as %i %s', (expire_minutes, amount, unit) => {
  expect(formValuesOf({ ...template, expire_minutes }, 'all')).toMatchObject({ amount, unit })
})

test.each<[string, Partial<Template>]>([
  ['no limits', {}],
  ['any number of devices', { max_uses: 0 }],
  ['speeds, data and unused days', { qos: { down_kbps: 2500, up_kbps: 1, quota_mb: 500 }, unused_days: 30 }],
])('a form that nobody changed sends the same template: %s', (_, change) => {
  const { expire_minutes, max_uses, qos, unused_days } = { ...template, ...change }

  expect(limitsOf(formValuesOf({ ...template, ...change }, 'all'))).toEqual({
    expire_minutes,
    max_uses,
    qos,
    unused_days,
  })
})
