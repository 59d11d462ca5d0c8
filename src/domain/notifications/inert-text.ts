/** Unseen, and enough to keep what stands on both sides of it from being read as one. */
const gap = '\u200b'

/** For every chat: one line, nobody mentioned, and nothing that looks like a link to a program. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
    .replaceAll('@', `@${gap}`)
    .replaceAll('](', `]${gap}(`)
    .replaceAll('://', `:${gap}//`)
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L}{2})/gu, `.${gap}`) // www.example.com
}

/** Slack and those that imitate it: `<` begins every kind of link and mention. */
export function inertForSlack(text: string): string {
  return withEntities(plain(text))
}

/** Mattermost reads Slack's signs and Markdown. */
export function inertForMattermost(text: string): string {
  return withEntities(withBackslashes(plain(text), /[\\`*_~|[\](){}#!]/g))
}

/** Markdown as Discord and Adaptive Cards read it; the braces are the latter's functions, `{{DATE(…)}}`. */
export function inertForMarkdown(text: string): string {
  return withBackslashes(plain(text), /[\\`*_~|[\](){}#!<>]/g)
}

function withEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function withBackslashes(text: string, signs: RegExp): string {
  return text.replace(signs, '\\$&')
}
