import { expect, test } from 'vitest'
import { claimPattern, rightsOfGroups } from './group-rights.ts'

const mapping = {
  claim: 'groups',
  groups: [
    { group: 'admins', role: 'admin', siteIds: null },
    { group: 'managers', role: 'manager', siteIds: [2] },
    { group: 'all', role: 'desk', siteIds: null },
    { group: 'one', role: 'desk', siteIds: [1, 3] },
    { group: 'two', role: 'desk', siteIds: [3, 2] },
  ] as const,
}
const rights = (...groups: string[]) =>
  rightsOfGroups({ ...mapping, groups: structuredClone(mapping.groups) as never }, groups)

test('the strongest role wins, sites add up, and without a group there are no rights', () => {
  expect(rights('one', 'other')).toEqual({ role: 'desk', allSites: false, siteIds: [1, 3], matched: ['one'] })
  expect(rights('two', 'one')).toEqual({ role: 'desk', allSites: false, siteIds: [1, 2, 3], matched: ['one', 'two'] })
  expect(rights('one', 'managers')).toMatchObject({ role: 'manager', allSites: false, siteIds: [1, 2, 3] })
  expect(rights('all', 'managers')).toMatchObject({ role: 'manager', allSites: true, siteIds: [] })
  expect(rights('one', 'admins')).toMatchObject({ role: 'admin', allSites: true, siteIds: [] })
  expect(rights('One', 'ONE', '')).toBeNull()
  expect(rights()).toBeNull()
})

test('the path of a claim', () => {
  for (const path of ['groups', 'realm_access.roles', 'https://example.com/groups', 'cognito:groups'])
    expect(path).toMatch(new RegExp(claimPattern))
  for (const path of ['', '.', 'a.', '.a', 'a..b', 'a b', 'a\nb']) expect(path).not.toMatch(new RegExp(claimPattern))
})
