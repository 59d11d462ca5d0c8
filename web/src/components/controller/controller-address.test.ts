import { expect, test } from 'vitest'
import { addressProblem, isAddress, tidyAddress } from './controller-address.ts'

test.each([
  ['https://192.168.1.1', 'https://192.168.1.1'],
  ['  https://192.168.1.1/ ', 'https://192.168.1.1'],
  ['192.168.1.1', 'https://192.168.1.1'],
  ['192.168.1.1:8443', 'https://192.168.1.1:8443'],
  ['unifi.local:8443/manage', 'https://unifi.local:8443'],
  ['https//unifi.local', 'https://unifi.local'],
  ['HTTPS:/unifi.local', 'https://unifi.local'],
  ['http://192.168.1.1:8080', 'http://192.168.1.1:8080'],
  ['https://192.168.1.1/network/default/dashboard', 'https://192.168.1.1'],
  ['https://10.0.0.2:8443/manage/account/login?redirect=%2Fmanage', 'https://10.0.0.2:8443'],
  ['https://192.168.1.1/#/login', 'https://192.168.1.1'],
  ['[fe80::1]:8443', 'https://[fe80::1]:8443'],
  [
    'https://api.ui.com/v1/connector/consoles/abc/proxy/network',
    'https://api.ui.com/v1/connector/consoles/abc/proxy/network',
  ],
])('%j becomes %j', (typed, address) => {
  expect(tidyAddress(typed)).toBe(address)
  expect(isAddress(typed)).toBe(true)
})

test.each([
  ['', 'controller-form.address-wrong'],
  ['my controller', 'controller-form.address-wrong'],
  ['ftp://192.168.1.1', 'controller-form.address-wrong'],
  ['https://owner:secret@192.168.1.1', 'controller-form.address-extras'],
  ['https://unifi.ui.com/consoles/abc/network/default/dashboard', 'controller-form.address-cloud'],
])('%j cannot be tested', (typed, problem) => {
  expect(addressProblem(typed)).toBe(problem)
})
