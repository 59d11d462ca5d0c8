/** The text as one word to paste into a shell. */
export function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
