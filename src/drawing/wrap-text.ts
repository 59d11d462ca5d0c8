/** Spaces that join what they stand between, such as a number and its noun. */
const joining = '\u00a0\u202f'
const wordEnds = new RegExp(`(?<=[^\\S${joining}])|(?<=-)(?=\\p{L})`, 'u')

/** Breaks a text into lines that are not wider than `width`: between words, and inside a word that is wider than a line. */
export function wrapText(text: string, width: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.trim().split(wordEnds)) {
    if (widthOf((line + word).trimEnd()) <= width) {
      line += word
      continue
    }
    if (line.trim()) lines.push(line.trimEnd())
    line = ''
    for (const letter of letters(word)) {
      if (line && widthOf(line + letter) > width) {
        lines.push(line)
        line = ''
      }
      line += letter
    }
  }
  if (line.trim()) lines.push(line.trimEnd())
  return lines
}

/** Letters with their accents, as people see them. */
function letters(text: string): string[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment)
}
