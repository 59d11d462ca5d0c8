import { expect, test } from 'vitest'
import type { SetupState } from '../../queries/setup.ts'
import { shownStep } from './setup-state.ts'

const empty = { controllers: [], sites: [], guestInfo: null, hasVoucher: false, firstVoucher: null }
const connected = { ...empty, controllers: [{}] }
const withSite = { ...connected, sites: [{ active: true }], guestInfo: { wifi_name: null } }
const withWifi = { ...withSite, guestInfo: { wifi_name: 'Gast' } }
const done = { ...withWifi, hasVoucher: true }

test.each([
  ['nothing', empty, undefined, 'controller'],
  ['nothing', empty, 'voucher', 'controller'],
  ['a controller', connected, undefined, 'sites'],
  ['a controller', connected, 'controller', 'controller'],
  ['a controller', connected, 'slip', 'sites'],
  ['a site', withSite, undefined, 'slip'],
  ['a site whose Wi-Fi was skipped', withSite, 'voucher', 'voucher'],
  ['a site with Wi-Fi', withWifi, 'administrator', 'voucher'],
  ['a site with Wi-Fi', withWifi, 'sites', 'sites'],
  ['the first voucher', { ...done, firstVoucher: {} }, undefined, 'voucher'],
  ['other vouchers', done, 'slip', undefined],
  ['no active site', { ...withSite, sites: [{ active: false }] }, undefined, undefined],
])('with %s and the address %#, the right step is shown', (_, state, wanted, step) => {
  expect(shownStep(state as unknown as SetupState, { wanted, isCreating: false })).toBe(step)
})
