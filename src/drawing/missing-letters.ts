import type { SlipLine } from '#slips/slip-lines.ts'
import type { LanguageText, SlipPart } from '#slips/slip-parts.ts'
import { type Font, lettersOutside } from './fonts.ts'

/** Letters of a line for which a question mark is printed. */
export type MissingLetters = { line: SlipLine; letters: string[] }

/** The letters of slips that the fonts lack, each once, by line in the order of the slips. */
export function missingLetters(slips: SlipPart[][]): MissingLetters[] {
  const byLine = new Map<SlipLine, Set<string>>()
  for (const part of slips.flat()) {
    const line = part.kind === 'step' ? part.line : part.kind
    const found = textsOf(part).flatMap(([font, text]) => lettersOutside(text, font))
    if (found.length > 0) byLine.set(line, new Set([...(byLine.get(line) ?? []), ...found]))
  }
  return [...byLine].map(([line, letters]) => ({ line, letters: [...letters] }))
}

/** The texts of a part with the fonts in which `drawSlips` writes them. */
function textsOf(part: SlipPart): [Font, string][] {
  const inFont = (font: Font, texts: LanguageText[]) => texts.map(({ text }): [Font, string] => [font, text])
  switch (part.kind) {
    case 'logo':
    case 'wifi_qr':
      return []
    case 'heading':
      return inFont('bold', part.texts)
    case 'step':
      return inFont('regular', [...part.actions, ...part.hints])
    case 'validity':
      return part.facts.flatMap(({ facts }) => facts.map((text): [Font, string] => ['regular', text]))
    case 'wifi_name':
    case 'name':
      return [['bold', part.text]]
    case 'wifi_password':
      return [...inFont('regular', part.labels), ['code', part.text]]
    case 'code':
      return [['code', part.text]]
    case 'house':
    case 'footer':
      return [['regular', part.text]]
  }
}
