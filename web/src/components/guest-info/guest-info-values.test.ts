import { expect, test } from 'vitest'
import { languagesOf } from './guest-info-values.ts'

test.each([
  [
    ['de-AT', 'de', 'en-US', 'en'],
    ['de', 'en'],
  ],
  [
    ['ca', 'pt-BR', 'fr'],
    ['pt', 'fr'],
  ],
  [
    ['no', 'nb-NO', 'nn-NO', 'uk'],
    ['nb', 'uk'],
  ],
  [
    ['it', 'de', 'en'],
    ['it', 'de'],
  ],
  [['ja'], []],
])('a browser with %j proposes %j for the slip', (locales, languages) => {
  expect(languagesOf(locales)).toEqual(languages)
})
