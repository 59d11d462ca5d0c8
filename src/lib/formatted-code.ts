/** A code as people read it aloud: `48614-09510`. */
export function formattedCode(code: string): string {
  return code.length === 10 ? `${code.slice(0, 5)}-${code.slice(5)}` : code
}
