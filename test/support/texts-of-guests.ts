import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'

/** The texts of a language by their names. */
export type NamedTexts = (language: GuestLanguage) => Record<string, string>

/** The texts that two languages share, as `uk ru password`. Most of them were forgotten in one of the two. */
export function listSharedTexts(textsOf: NamedTexts): string[] {
  return guestLanguages.flatMap((language, index) =>
    guestLanguages.slice(index + 1).flatMap((other) => {
      const others = textsOf(other)
      return Object.entries(textsOf(language))
        .filter(([name, text]) => others[name]?.toLowerCase() === text.toLowerCase())
        .map(([name]) => `${language} ${other} ${name}`)
    }),
  )
}

/** Languages with letters that could be mistaken for those of another one. */
const letters: Partial<Record<GuestLanguage, RegExp>> = {
  ro: /^[a-zăâîșț]+$/i, // not ş and ţ with a cedilla
  tr: /^[a-zçğıİöşüâ]+$/i,
  el: /^\p{Script=Greek}+$/u,
  uk: /^[абвгґдеєжзиіїйклмнопрстуфхцчшщьюя]+$/iu,
  ru: /^[а-яё]+$/iu,
}
const latin = /^\p{Script=Latin}+$/u
const names = ['Wi', 'Fi', 'QR']

export function wordsIn(texts: Record<string, string>): string[] {
  return Object.values(texts).flatMap((text) => text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [])
}

/** Words with a letter that the language does not have, for example a Latin o in a Russian word. */
export function listWordsInOtherLetters(language: GuestLanguage, words: string[]): string[] {
  return words.filter((word) => !names.includes(word) && !(letters[language] ?? latin).test(word))
}
