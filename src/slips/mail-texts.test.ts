import { expect, test } from 'vitest'
import { listSharedTexts, listWordsInOtherLetters, type NamedTexts, wordsIn } from '#test/texts-of-guests.ts'
import { guestLanguages } from './guest-languages.ts'
import { mailTexts } from './mail-texts.ts'

const place = '{place}'
const textsOf: NamedTexts = (language) => mailTexts[language]

test('every language has every text, with the name of the place where it belongs', () => {
  expect(Object.keys(mailTexts)).toEqual(guestLanguages)
  for (const language of guestLanguages) {
    const counts = Object.entries(mailTexts[language]).map(([name, text]) => [name, text.split(place).length - 1])
    expect([language, Object.fromEntries(counts)]).toEqual([
      language,
      { subject: 1, greeting: 0, intro: 1, automatic: 1, unexpected: 0 },
    ])
  }
})

test.each(guestLanguages)('the texts in %s are whole sentences, and nothing else is in braces', (language) => {
  const { subject, greeting, ...sentences } = mailTexts[language]
  const all = [subject, greeting, ...Object.values(sentences)]

  expect(all.filter((text) => !/^\S(.*\S)?$/.test(text))).toEqual([])
  expect(all.filter((text) => /["'<>{}]/.test(text.replace(place, '')))).toEqual([])
  expect(Object.values(sentences).filter((text) => !text.endsWith('.'))).toEqual([])
  expect(subject).not.toMatch(/[.:!]$/)
})

test.each(guestLanguages)(
  'after the greeting in %s, the next sentence begins as the comma or its absence asks',
  (language) => {
    const { greeting, intro } = mailTexts[language]
    const capitalAfterComma = ['en', 'fr', 'nl', 'pt', 'tr']
    const isSmall = greeting.endsWith(',') && !capitalAfterComma.includes(language)

    expect([language, intro[0] === intro[0]?.toLowerCase()]).toEqual([language, isSmall])
  },
)

test('no two languages have the same text, except for words that really are the same', () => {
  expect(listSharedTexts(textsOf)).toEqual(['uk ru subject'])
})

test.each(guestLanguages)('the words in %s have no letters of another alphabet', (language) => {
  const words = wordsIn(textsOf(language)).filter((word) => word !== 'place')

  expect(words.length).toBeGreaterThan(20)
  expect(listWordsInOtherLetters(language, words)).toEqual([])
})
