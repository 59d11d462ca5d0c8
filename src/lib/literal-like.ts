/** Text for a pattern of `like` in SQL, in which `%` and `_` are ordinary characters and not wildcards. */
export function literalLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
