import { expect, test } from 'vitest'
import type { ErrorCode } from '#domain/errors.ts'
import { catalogue, findAnswer } from './catalogue.ts'

const entries = Object.entries(catalogue)

test('every 400 of API v2 says which field is invalid', () => {
  const without = entries.filter(
    ([code, entry]) => findAnswer(code as ErrorCode)?.status === 400 && !('field' in entry),
  )

  expect(without.map(([code]) => code)).toEqual(['invalid_request']) // the error itself has the fields
})

test('a German text has no placeholder that the English one lacks', () => {
  const answers = entries.flatMap(([, entry]) => ('de' in entry ? entry : []))

  expect(answers.length).toBeGreaterThan(90)
  expect(answers.filter(({ de, en }) => !isSubset(placeholdersOf(de), placeholdersOf(en)))).toEqual([])
})

test('an error that only commands can cause has no answer', () => {
  expect(findAnswer('row_repeated')).toBeUndefined()
})

function placeholdersOf(text: string): Set<string> {
  return new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string))
}

function isSubset(some: Set<string>, all: Set<string>): boolean {
  return [...some].every((name) => all.has(name))
}
