/** Text that is markup already. */
export type Html = { readonly markup: string }

type Part = Html | string | number | undefined | Part[]

/** What is put into the gaps is escaped, unless it is markup itself; nothing and lists are allowed. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: texts.map((text, i) => text + toMarkup(parts[i])).join('') }
}

/** A file of ours, never a text of others. */
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
