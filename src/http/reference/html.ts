import { createHash } from 'node:crypto'

/** Text that is already HTML. */
export type Html = { readonly markup: string }

type Part = Html | string | number | undefined | Part[]

/** A template tag that escapes every inserted text. Inserted HTML stays as it is; lists are joined and undefined is left out. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: texts.map((text, i) => text + toMarkup(parts[i])).join('') }
}

/** Marks a text as HTML. Only for our own files, never for input. */
export function trustedMarkup(markup: string): Html {
  return { markup }
}

function toMarkup(part: Part): string {
  if (part === undefined) return ''
  if (Array.isArray(part)) return part.map(toMarkup).join('')
  return typeof part === 'object' ? part.markup : escaped(String(part))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}

/** Headers of a page. It may use its own stylesheet. Everything else (scripts, images, forms, frames) is forbidden. */
export function htmlHeaders(stylesheet: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}
