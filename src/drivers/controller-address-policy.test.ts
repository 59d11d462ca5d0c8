import { describe, expect, test } from 'vitest'
import { addressIn, allowedHosts, distantLoopbackHosts, forbiddenHosts, loopbackHosts } from '#test/network/hosts.ts'
import { createControllerAddressPolicy } from './controller-address-policy.ts'

const own = { port: 8080, databaseUrl: 'postgres://db:5433/vouchers', redisUrl: 'redis://cache:6380/0' }
const policy = createControllerAddressPolicy(own)

test.each(forbiddenHosts)('%s is forbidden on every port', (host) => {
  expect([80, 443, 8080, 8443].filter((port) => policy.allows(addressIn(host), port))).toEqual([])
})

test.each(allowedHosts)('%s is allowed', (host) => {
  expect([80, 443, 8443].map((port) => policy.allows(addressIn(host), port))).toEqual([true, true, true])
})

test.each([...loopbackHosts, ...distantLoopbackHosts])('%s is allowed, but not on a port of the service', (host) => {
  expect([8443, 8080, 5433, 6380].filter((port) => policy.allows(addressIn(host), port))).toEqual([8443])
})

/** Forms of addresses that no URL contains, but that a resolver or another caller may pass. */
test.each([
  'fe80::1%eth0',
  'fe80::1%1',
  '::1%lo',
  'fd00::2%eth0',
  '::ffff:127.0.0.1%lo',
  '::ffff:169.254.169.254',
  '0:0:0:0:0:FFFF:169.254.169.254',
  '64:ff9b:0:0:0:0:169.254.169.254',
  '2002:A9FE:A9FE:0:0:0:0:0',
  '[::1]',
  '127.1',
  '0x7f000001',
  '2130706433',
  '192.168.1.1.',
  ' 192.168.1.1',
  '192.168.1.1/24',
  'localhost',
  '',
])('the address "%s" is forbidden', (address) => {
  expect(policy.allows(address, 443)).toBe(false)
})

describe('the forbidden ports of the service', () => {
  const refused = (databaseUrl: string, redisUrl?: string) => {
    const made = createControllerAddressPolicy({ port: 8080, databaseUrl, redisUrl })
    return [5432, 5433, 6379, 6380].filter((port) => !made.allows('127.0.0.1', port))
  }

  test('are the default ports if the URL has none', () => {
    expect(refused('postgres://localhost/vouchers', 'redis://localhost')).toEqual([5432, 6379])
  })

  test('are read from the URL, for PostgreSQL also from its query', () => {
    expect(refused('postgres://localhost:5433/vouchers', 'rediss://localhost:6380')).toEqual([5433, 6380])
    expect(refused('postgres:///vouchers?host=/run/postgresql&port=5433')).toEqual([5433])
  })

  test('include those of the direct address and of the metrics', () => {
    const own = { port: 8080, databaseUrl: 'postgres://localhost', databaseDirectUrl: 'postgres://localhost:5433' }
    const made = createControllerAddressPolicy({ ...own, metricsPort: 9464 })

    expect([5432, 5433, 9464, 9465].filter((port) => !made.allows('127.0.0.1', port))).toEqual([5432, 5433, 9464])
  })

  test('without Redis, its port is allowed', () => {
    expect(refused('postgres://localhost/vouchers')).toEqual([5432])
  })
})
