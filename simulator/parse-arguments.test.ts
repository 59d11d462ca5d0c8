import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'

test('without arguments it is a console on any port, over HTTP', () => {
  expect(parseArguments([])).toEqual({
    port: 0,
    https: false,
    flavour: 'console',
    sites: [{ internalReference: 'default', name: 'Default' }],
    apiKey: undefined,
    username: undefined,
    password: undefined,
    sessionSeconds: 3600,
    loginLimit: 5,
  })
})

test('all options are taken over', () => {
  const text = '--port 1 --https --flavour self-hosted --site a=A --api-key k --username u --password p'
  const args = [...text.split(' '), '--session-seconds', '9', '--login-limit', '0']

  expect(parseArguments(args)).toEqual({
    port: 1,
    https: true,
    flavour: 'self-hosted',
    sites: [{ internalReference: 'a', name: 'A' }],
    apiKey: 'k',
    username: 'u',
    password: 'p',
    sessionSeconds: 9,
    loginLimit: 0,
  })
})

test.each([
  ['--port', '65536'],
  ['--flavour', 'cloud'],
  ['--session-seconds', '0'],
  ['--login-limit', '-1'],
  ['--password', ''],
  ['--site', 'default'],
  ['--api-key', 'two words'],
])('%s %s is refused', (option, value) => {
  expect(() => parseArguments([`${option}=${value}`])).toThrow(option)
})
