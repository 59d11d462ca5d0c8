import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'

test('without arguments, the simulator is a console on any free port, over HTTP', () => {
  expect(parseArguments([])).toEqual({
    port: 0,
    https: false,
    flavour: 'console',
    pathPrefix: undefined,
    sites: [{ internalReference: 'default', name: 'Default' }],
    apiKey: undefined,
    username: undefined,
    password: undefined,
    hotspotSite: undefined,
    sessionSeconds: 3600,
    loginLimit: 5,
  })
})

test('every option is read', () => {
  const text =
    '--port 1 --https --flavour self-hosted --site a=A --api-key k --username u --password p --hotspot-operator a'
  const args = [...text.split(' '), '--session-seconds', '9', '--login-limit', '0']

  expect(parseArguments(args)).toEqual({
    port: 1,
    https: true,
    flavour: 'self-hosted',
    pathPrefix: undefined,
    sites: [{ internalReference: 'a', name: 'A' }],
    apiKey: 'k',
    username: 'u',
    password: 'p',
    hotspotSite: 'a',
    sessionSeconds: 9,
    loginLimit: 0,
  })
})

test('only a console can have the path of a cloud connector', () => {
  const args = ['--path-prefix', '/v1/connector/consoles/AB12:34']

  expect(parseArguments(args)).toMatchObject({ flavour: 'console', pathPrefix: '/v1/connector/consoles/AB12:34' })
  expect(() => parseArguments([...args, '--flavour', 'self-hosted'])).toThrow('--path-prefix')
})

test('the site of a hotspot operator must be one of the sites', () => {
  expect(() => parseArguments(['--flavour', 'self-hosted', '--hotspot-operator', 'nowhere'])).toThrow(
    '--hotspot-operator must be the internalReference of a site',
  )
})

test.each([
  ['--port', '65536'],
  ['--flavour', 'cloud'],
  ['--session-seconds', '0'],
  ['--login-limit', '-1'],
  ['--password', ''],
  ['--site', 'default'],
  ['--api-key', 'two words'],
  ['--hotspot-operator', 'default'],
  ['--path-prefix', 'v1'],
  ['--path-prefix', '/v1/'],
  ['--path-prefix', '/v1?a'],
  ['--path-prefix', '/control/v1'],
])('%s %s is rejected', (option, value) => {
  expect(() => parseArguments([`${option}=${value}`])).toThrow(option)
})
