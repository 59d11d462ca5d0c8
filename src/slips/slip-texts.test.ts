import { expect, test } from 'vitest'
import { listSharedTexts, listWordsInOtherLetters, type NamedTexts, wordsIn } from '#test/texts-of-guests.ts'
import { guestLanguages } from './guest-languages.ts'
import { slipTexts } from './slip-texts.ts'

/** Without the locale. */
const textsOf: NamedTexts = (language) => {
  const { locale: _, devices, ...texts } = slipTexts[language]
  const forms = Object.entries(devices).map(([form, text]) => [`devices.${form}`, text])
  return { ...texts, ...Object.fromEntries(forms) }
}

test('no two languages have the same text, except for words that really are the same', () => {
  expect(listSharedTexts(textsOf)).toEqual([
    'en it password',
    'it es devices.one',
    'it pt devices.one',
    'es pt devices.one',
    'es pt devices.many',
    'es pt devices.other',
    'da nb validUntil',
    'sv nb devices.one',
    'sv nb devices.other',
    'uk ru password',
  ])
})

test.each(guestLanguages)('the words in %s have no letters of another alphabet', (language) => {
  const words = wordsIn(textsOf(language))

  expect(words.length).toBeGreaterThan(20)
  expect(listWordsInOtherLetters(language, words)).toEqual([])
})

test.each(guestLanguages)('the texts in %s are complete and end as their place on the slip needs it', (language) => {
  const texts = textsOf(language)

  expect(Object.values(texts).filter((text) => !/^\S(.*\S)?$/.test(text) || /["'<>{}]|\.$/.test(text))).toEqual([])
  expect([texts['scanOrPick']?.at(-1), texts['scanOrType']?.at(-1)]).toEqual([':', ':'])
  expect(new Intl.Locale(slipTexts[language].locale).language).toBe(language)
})
