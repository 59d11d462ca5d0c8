import { expect, test } from 'vitest'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { findSites, findTroubles } from './site-state.ts'

const at = '2026-11-16T09:12:00.000Z'
const site = (id: number, more: Partial<Site> = {}): Site => ({
  id,
  name: `Hotel ${id}`,
  active: true,
  state: 'reachable',
  reachable: true,
  unreachable_since: null,
  unreachable_reason: null,
  controller_id: 'c1',
  controller_name: 'unifi-01',
  synced_at: at,
  sync_failure: null,
  sync_failing_since: null,
  recent_vouchers: 0,
  unrecorded_vouchers: 0,
  time_zone: 'UTC',
  ...more,
})
const out = {
  state: 'unreachable' as const,
  reachable: false,
  unreachable_since: at,
  controller_id: 'c7',
  controller_name: 'unifi-07',
}

test('sites of one controller that fail in the same way are one problem, the largest first', () => {
  const later = '2026-11-16T10:00:00.000Z'
  const refused = {
    state: 'sign_in_refused' as const,
    sync_failure: 'sign_in',
    sync_failing_since: later,
    controller_id: 'c3',
    controller_name: 'unifi-03',
  }
  const troubles = findTroubles([
    site(1, refused),
    site(2),
    site(3, out),
    site(4, { ...out, unreachable_since: later }),
  ])

  expect(
    troubles.map(({ controllerName, state, since, siteCount }) => [controllerName, state, since, siteCount]),
  ).toEqual([
    ['unifi-07', 'unreachable', at, 2],
    ['unifi-03', 'sign_in_refused', later, 1],
  ])
})

test('failing sites come first and inactive ones last; numbers in names are sorted by value', () => {
  const sites = [site(1, { active: false, state: 'inactive' }), site(10), site(9), site(20, out)]
  const all = { search: '', state: undefined, controllerId: undefined }

  expect(findSites(sites, all).map(({ id }) => id)).toEqual([20, 9, 10, 1])
  expect(findSites(sites, { ...all, search: 'unifi-07 hotel' }).map(({ id }) => id)).toEqual([20])
  expect(findSites(sites, { ...all, state: 'inactive' }).map(({ id }) => id)).toEqual([1])
  expect(findSites(sites, { ...all, controllerId: 'c7' }).map(({ id }) => id)).toEqual([20])
})
