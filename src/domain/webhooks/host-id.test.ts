import { expect, test } from 'vitest'
import { keyring } from '#lib/settings.ts'
import { hostIdOf } from './host-id.ts'

const key = (name: string) => `${name}:${Buffer.alloc(32, name).toString('base64')}`
const old = keyring(key('old'))
const both = keyring(`${key('new')},${key('old')}`)
const next = keyring(key('new'))

test.each([
  ['another path and query', 'https://hooks.example.com/a?token=1', 'https://hooks.example.com/b'],
  ['another port', 'https://hooks.example.com/a', 'https://hooks.example.com:8443/a'],
  ['another case', 'https://hooks.example.com/', 'https://Hooks.EXAMPLE.com/'],
  ['a trailing dot', 'https://hooks.example.com/', 'https://hooks.example.com./'],
  ['another notation of an IPv6 address', 'https://[2606:4700::1]/', 'https://[2606:4700:0:0::0001]:444/'],
  ['another notation of an IPv4 address', 'https://93.184.216.34/', 'https://0x5db8d822/'],
  ['another scheme', 'https://10.0.0.1/', 'http://10.0.0.1/'],
])('a URL with %s has the same host', (_, one, other) => {
  expect(hostIdOf(old, one)).toBe(hostIdOf(old, other))
})

test('different host names have different ids, and an id depends on the key', () => {
  expect(hostIdOf(old, 'https://a.example.com/')).not.toBe(hostIdOf(old, 'https://b.example.com/'))
  expect(hostIdOf(old, 'https://a.example.com/')).not.toBe(hostIdOf(next, 'https://a.example.com/'))
})

test('an id stays while one of the keys made it, and is replaced when that key is gone or the host is another', () => {
  const url = 'https://a.example.com/'
  const earlier = hostIdOf(old, url)

  expect(hostIdOf(both, url, earlier)).toBe(earlier)
  expect(hostIdOf(next, url, earlier)).toBe(hostIdOf(next, url))
  expect(hostIdOf(both, 'https://b.example.com/', earlier)).toBe(hostIdOf(both, 'https://b.example.com/'))
})
