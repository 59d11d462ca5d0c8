import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectedWords } from '#domain/people/password.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/security.md', root), 'utf8')

test('every file that docs/security.md names exists', () => {
  const files = [...page.matchAll(/`((?:src|test)\/[\w/.-]+)`/g)].map(([, path]) => path as string)

  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('the list of words that are no passwords is complete', () => {
  const list = /signs: ([^.]+)\./.exec(page)?.[1] ?? ''

  expect(list.split(/,\s+/).toSorted()).toEqual(expectedWords.toSorted())
})
