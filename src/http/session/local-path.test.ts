import { expect, test } from 'vitest'
import { localPath, withProblem } from './local-path.ts'

test.each(['/', '/desk', '/desk?site=3', '/sites/3#printers', '/vouchers?q=a%20b'])('%s is a page of ours', (path) => {
  expect(localPath(path)).toBe(path)
})

test.each([
  undefined,
  7,
  ['/desk', '/me'],
  '',
  'desk',
  'https://evil.example/',
  'javascript:alert(1)',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/desk\\..\\..\\',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2f/evil.example',
  '/%5cevil.example/%zz',
  '/sso/start',
  '/SSO/callback?code=x',
  '/api/v2/session',
  `/${'x'.repeat(600)}`,
])('%j is not: the browser goes to the start page', (path) => {
  expect(localPath(path)).toBe('/')
})

test('the problem is added to the query', () => {
  expect(withProblem('/me?tab=1#x', 'identity_taken')).toBe('/me?tab=1&problem=identity_taken')
})
