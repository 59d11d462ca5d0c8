import { expect, test } from 'vitest'
import { wrapText } from './wrap-text.ts'

/** Every letter is as wide as any other. */
const wrap = (text: string, width: number) => wrapText(text, width, (part) => part.length)

test.each([
  ['between words', 'Mit dem WLAN verbinden', 12, ['Mit dem WLAN', 'verbinden']],
  ['after a hyphen before a letter', 'Wolkenstein-Trostburg 5-6', 14, ['Wolkenstein-', 'Trostburg 5-6']],
  ['not between a number and its noun', 'bis zu 2\u00a0Geräte', 12, ['bis zu', '2\u00a0Geräte']],
  ['not before a French colon', 'choisissez le réseau\u202f:', 20, ['choisissez le', 'réseau\u202f:']],
  ['inside a word that is wider than a line', 'Donaudampfschiff', 6, ['Donaud', 'ampfsc', 'hiff']],
  ['but never between a letter and its accent', 'ab\u0301cd', 3, ['ab\u0301', 'cd']],
])('a line ends %s', (_, text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines)
})
