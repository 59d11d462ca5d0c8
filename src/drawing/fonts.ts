import { readFileSync } from 'node:fs'
import { create, type Font as OpenFont } from 'fontkit'

const readFont = (url: URL) => readFileSync(url)

/** Noto Sans has Latin, Greek and Cyrillic letters. Each path is a whole one, so that the build finds the files. */
const files = {
  regular: readFont(new URL('./fonts/NotoSans-Regular.ttf', import.meta.url)),
  bold: readFont(new URL('./fonts/NotoSans-Bold.ttf', import.meta.url)),
  code: readFont(new URL('./fonts/NotoSansMono-Bold.ttf', import.meta.url)),
}

export type Font = keyof typeof files

export const fontNames = Object.keys(files) as Font[]

const opened = new Map<Font, OpenFont>()

/**
 * A font for one document. It shares the tables that were read for earlier documents: reading them takes 0.2 s. Each document has
 * glyphs of its own, because a glyph keeps the letters that it was first used for, and people copy these letters from the PDF.
 */
export function openForDocument(font: Font): OpenFont {
  return Object.create(open(font), { _glyphs: { value: {} } })
}

function open(font: Font): OpenFont {
  const known = opened.get(font) ?? (create(files[font]) as OpenFont)
  opened.set(font, known)
  return known
}

const hasLetter = (font: Font, letter: string) => open(font).hasGlyphForCodePoint(letter.codePointAt(0) as number)

const lettersOf = (text: string) => Array.from(text.normalize('NFC'))

/** The text with a question mark for each letter that the font lacks, which would be printed as a box. */
export function printable(text: string, font: Font): string {
  return isPlain(text)
    ? text
    : lettersOf(text)
        .map((letter) => (hasLetter(font, letter) ? letter : '?'))
        .join('')
}

/** The letters of the text that the font lacks. */
export function lettersOutside(text: string, font: Font): string[] {
  return isPlain(text) ? [] : lettersOf(text).filter((letter) => !hasLetter(font, letter))
}

/** Every font has these letters. */
const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text)
