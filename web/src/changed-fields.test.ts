import { expect, test } from 'vitest'
import { changedFields } from './changed-fields.ts'

type Fields = {
  name: string
  site_ids?: number[] | null
  all_sites?: true
  qos: { down_kbps: number; up_kbps: number }
}
const before: Fields = { name: 'Bar', site_ids: [3, 12], qos: { down_kbps: 1, up_kbps: 2 } }

test('a form that nobody changed has no changed fields; the order of a list matters only where it says so', () => {
  expect(changedFields(before, { ...before, qos: { ...before.qos } })).toBeUndefined()
  expect(changedFields(before, { ...before, site_ids: [12, 3] })).toBeUndefined()
  expect(changedFields(before, { ...before, site_ids: [12, 3] }, ['site_ids'])).toEqual({ site_ids: [12, 3] })
})

test('only the changed fields are left, also inside an object', () => {
  expect(changedFields(before, { ...before, name: 'Lobby' })).toEqual({ name: 'Lobby' })
  expect(changedFields(before, { ...before, qos: { down_kbps: 1, up_kbps: 0 } })).toEqual({ qos: { up_kbps: 0 } })
  expect(changedFields(before, { ...before, site_ids: null })).toEqual({ site_ids: null })
  expect(changedFields({ ...before, site_ids: null }, before)).toEqual({ site_ids: [3, 12] })
  expect(changedFields(before, { name: 'Bar', all_sites: true, qos: before.qos })).toEqual({ all_sites: true })
})
