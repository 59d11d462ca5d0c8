import { expect, test } from 'vitest'
import { claimListsOf, emailOf, hasTooManyGroups, nameOf, textsOf } from './claims.ts'

const claims = {
  iss: 'https://login.example.com',
  sub: '1',
  aud: ['x'],
  groups: ['a', 7, null, '', 'b', 'x'.repeat(257)],
  realm_access: { roles: ['c'] },
  resource_access: { vouchers: { roles: ['d'] } },
  'https://example.com/groups': ['e'],
  department: 'IT',
}

test.each([
  ['groups', ['a', 'b']],
  ['realm_access.roles', ['c']],
  ['resource_access.vouchers.roles', ['d']],
  ['https://example.com/groups', ['e']],
  ['department', ['IT']],
  ['missing', []],
  ['groups.length', []],
  ['realm_access', []],
  ['constructor', []],
  ['__proto__.x', []],
  ['realm_access.constructor.name', []],
])('the texts of %s', (path, texts) => {
  expect(textsOf(claims, path)).toEqual(texts)
})

test('characters are counted as in the table of groups: an emoji is one', () => {
  const group = '🏨'.repeat(200)
  expect(textsOf({ groups: [group] }, 'groups')).toEqual([group])
})

test('more groups than the service reads are too many, so that nobody loses rights because of the order', () => {
  const groups = Array.from({ length: 1_001 }, (_, n) => String(n))
  expect(hasTooManyGroups({ iss: 'x', sub: 'y', groups }, 'groups')).toBe(true)
  expect(hasTooManyGroups({ iss: 'x', sub: 'y', groups: groups.slice(1) }, 'groups')).toBe(false)
})

test('all lists are kept, and the claim of the table even if it is one text', () => {
  expect(claimListsOf(claims, 'department')).toEqual({
    department: ['IT'],
    groups: ['a', 'b'],
    'realm_access.roles': ['c'],
    'resource_access.vouchers.roles': ['d'],
    'https://example.com/groups': ['e'],
  })
})

test('Entra ID says in three ways that there are too many groups', () => {
  const base = { iss: 'x', sub: 'y' }
  expect(hasTooManyGroups({ ...base, _claim_names: { groups: 'src1' } }, 'groups')).toBe(true)
  expect(hasTooManyGroups({ ...base, hasgroups: true }, 'groups')).toBe(true)
  expect(hasTooManyGroups({ ...base, hasgroups: 'true' }, 'groups')).toBe(true)
  expect(hasTooManyGroups({ ...base, _claim_names: { groups: 'src1' } }, 'roles')).toBe(false)
  expect(hasTooManyGroups({ ...base, groups: [] }, 'groups')).toBe(false)
})

test('the e-mail address can be the name of the account; the name is one visible line', () => {
  const base = { iss: 'x', sub: 'y' }
  expect(emailOf({ ...base, email: 'a@b.example' })).toBe('a@b.example')
  expect(emailOf({ ...base, email: 'a b@c', preferred_username: 'u@b.example' })).toBe('u@b.example')
  expect(emailOf({ ...base, preferred_username: 'CORP\\user' })).toBeUndefined()
  expect(nameOf({ ...base, name: ' Anna\nWeber\u202e ' }, 'x')).toBe('Anna Weber')
  expect(nameOf({ ...base, given_name: 'Anna', family_name: 'Weber' }, 'x')).toBe('Anna Weber')
  expect(nameOf({ ...base, name: '\u200b' }, 'anna@b.example')).toBe('anna@b.example')
  expect(nameOf({ ...base, name: '\u3164' }, 'anna@b.example')).toBe('anna@b.example') // an invisible letter
})
