import { expect, test } from 'vitest'
import { hasFields, storedValue } from './stored-value.ts'

type Draft = { name: string }

function draftIn(text: string | null, version = 1) {
  const stored = new Map(text === null ? [] : [['draft', text]])
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  }
  const isValid = (value: unknown): value is Draft => hasFields(value, { name: 'string' })
  return { stored, draft: storedValue({ storage, key: 'draft', version, isValid }) }
}

test('a value is read as it was written, until it is removed', () => {
  const { draft, stored } = draftIn(null)
  draft.write({ name: 'Anna' })
  expect(draft.read()).toEqual({ name: 'Anna' })
  draft.write(null)

  expect([draft.read(), stored.size]).toEqual([null, 0])
})

test.each([
  ['of another version', '{"version":2,"value":{"name":"Anna"}}'],
  ['that is cut off', '{"version":1,"value":{"na'],
  ['without a field', '{"version":1,"value":{}}'],
  ['with a field of another type', '{"version":1,"value":{"name":7}}'],
  ['with an empty field', '{"version":1,"value":{"name":null}}'],
  ['that is no object', '{"version":1,"value":"Anna"}'],
  ['without a value', '{"version":1}'],
  ['that is a number', '7'],
  ['that is null', 'null'],
])('a value %s is ignored', (_, text) => {
  expect(draftIn(text).draft.read()).toBeNull()
})

test('a value of release 0.1.0 is version 1', () => {
  expect(draftIn('{"name":"Anna"}').draft.read()).toEqual({ name: 'Anna' })
  expect(draftIn('{"name":"Anna"}', 2).draft.read()).toBeNull()
})

test('a storage that the browser refuses is like an empty one', () => {
  const refuse = () => {
    throw new DOMException('The quota has been exceeded', 'QuotaExceededError')
  }
  const storage = { getItem: refuse, setItem: refuse, removeItem: refuse }
  const isValid = (value: unknown): value is Draft => hasFields(value, { name: 'string' })
  const draft = storedValue({ storage, key: 'draft', version: 1, isValid })
  draft.write({ name: 'Anna' })

  expect(draft.read()).toBeNull()
})
