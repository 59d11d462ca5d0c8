/** A zero-width space: it breaks links and mentions without being visible. */
const gap = '\u200b'

/** Replaces control characters and line breaks, and breaks mentions and everything that looks like a link. */
export function withoutLinks(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
    .replaceAll('@', `@${gap}`)
    .replaceAll('](', `]${gap}(`)
    .replaceAll('://', `:${gap}//`)
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L}{2})/gu, `.${gap}`) // www.example.com
}
