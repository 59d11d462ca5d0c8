import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { createAddressPolicy } from './address-policy.ts'

test('an exception is allowed, in every form of the address', () => {
  const policy = createAddressPolicy({ forbidden: ['10.0.0.0/8'], except: ['10.1.0.0/16'], ownPorts: [] })
  const allowed = ['10.2.0.1', '::ffff:10.2.0.1', '10.1.0.1', '::ffff:10.1.0.1', '64:ff9b::10.1.0.1', '11.0.0.1']

  expect(allowed.map((address) => policy.allows(address, 443))).toEqual([false, false, true, true, true, true])
})

test('an exception does not allow our own ports', () => {
  const policy = createAddressPolicy({ forbidden: ['127.0.0.0/8'], except: ['127.0.0.1'], ownPorts: [8080] })

  expect([443, 8080].map((port) => policy.allows('127.0.0.1', port))).toEqual([true, false])
})

test('an IPv6 range does not contain IPv4 addresses', () => {
  const policy = createAddressPolicy({ forbidden: ['::/3', '4000::/2', '8000::/1'], ownPorts: [] })
  const addresses = ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', 'fd00::1', '::1']

  expect(addresses.map((address) => policy.allows(address, 443))).toEqual([true, true, false, false, false])
})

test('own ports are rejected on the addresses that this machine has at that moment', () => {
  const addresses = ['192.168.1.20']
  const policy = createAddressPolicy({ forbidden: [], ownPorts: [8080], interfaceAddresses: () => addresses })
  const closed = (...all: string[]) => all.map((address) => !policy.allows(address, 8080))

  expect(closed('192.168.1.20', '::ffff:c0a8:114', '192.168.1.21', 'fd00::2')).toEqual([true, true, false, false])
  addresses.push('192.168.1.21', 'fd00::2')
  expect(closed('192.168.1.20', '192.168.1.21', 'fd00::2')).toEqual([true, true, true])
  expect(policy.allows('192.168.1.20', 8081)).toBe(true)
})

test('by default, the addresses of the network interfaces are used', () => {
  const policy = createAddressPolicy({ forbidden: [], ownPorts: [8080] })
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))

  expect(addresses.filter((address) => policy.allows(address, 8080))).toEqual([])
})

test('an invalid range is rejected when the policy is created', () => {
  expect(() => createAddressPolicy({ forbidden: ['10.0.0.0/33'], ownPorts: [] })).toThrow()
  expect(() => createAddressPolicy({ forbidden: ['metadata.google.internal'], ownPorts: [] })).toThrow()
})
