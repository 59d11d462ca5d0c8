import { beforeEach, expect, test, vi } from 'vitest'
import { keepPrintChoice, languagesToPrint, readPrintChoice, toggleLanguage } from './print-choice.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
  return () => vi.unstubAllGlobals()
})

test('the browser remembers paper, languages in their order, and whether to print after creating', () => {
  keepPrintChoice({ paper: '80mm', languages: ['pl', 'de'], afterCreating: true })

  expect(readPrintChoice()).toEqual({ paper: '80mm', languages: ['pl', 'de'], afterCreating: true })
})

test('a choice of an earlier version does not print after creating', () => {
  stored.set('vs.print', '{"paper":"80mm","languages":null}')

  expect(readPrintChoice()).toEqual({ paper: '80mm', languages: null, afterCreating: false })
})

test.each([[undefined], ['broken'], ['null'], ['{"paper":"a3","languages":["xx"]}']])(
  'A4 in the languages of the site if %s is stored',
  (text) => {
    if (text !== undefined) stored.set('vs.print', text)

    expect(readPrintChoice()).toEqual({ paper: 'a4', languages: null, afterCreating: false })
  },
)

test('a fourth language replaces the third, and without a choice the languages of the site are used', () => {
  expect(toggleLanguage([], 'de')).toEqual(['de'])
  expect(toggleLanguage(['de'], 'en')).toEqual(['de', 'en'])
  expect(toggleLanguage(['de', 'en'], 'fr')).toEqual(['de', 'en', 'fr'])
  expect(toggleLanguage(['de', 'en', 'fr'], 'it')).toEqual(['de', 'en', 'it'])
  expect(toggleLanguage(['de', 'en'], 'de')).toEqual(['en'])
  expect(toggleLanguage(['de'], 'de')).toBeNull()
})

test('the choice comes before the languages of the site, and those before the language of the app', () => {
  expect(languagesToPrint({ languages: ['fr'] }, ['de', 'en'], 'de')).toEqual(['fr'])
  expect(languagesToPrint({ languages: null }, ['cs', 'en', 'pl', 'fr'], 'de')).toEqual(['cs', 'en', 'pl'])
  expect(languagesToPrint({ languages: null }, [], 'de')).toEqual(['de'])
})
