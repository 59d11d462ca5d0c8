import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectedWords } from '#domain/people/password.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/security.md', root), 'utf8')

test.each([
  ['docs/security.md', 20],
  ['SECURITY.md', 10],
  ['CONTRIBUTING.md', 10],
])('every file that %s names exists', (name, least) => {
  const text = readFileSync(new URL(name, root), 'utf8')
  const files = [...text.matchAll(/`((?:src|test)\/[\w/.-]+)`/g)].map(([, path]) => path as string)

  expect(files.length).toBeGreaterThan(least)
  expect(files.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('the list of words that are no passwords is complete', () => {
  const list = /signs: ([^.]+)\./.exec(page)?.[1] ?? ''

  expect(list.split(/,\s+/).toSorted()).toEqual(expectedWords.toSorted())
})
