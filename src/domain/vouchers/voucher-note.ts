import { randomInt } from 'node:crypto'

/** Without letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const tagLength = 6
/** The longest name that a controller is known to keep. */
const maxLength = 255
const tagged = /^(.*) ·[a-hjkmnp-z2-9]{6}$/su

/**
 * The name that vouchers get on the controller: `2026-11-15_Room 12 ·k3f9ab`. The tag is different for every call that
 * makes vouchers, so that its vouchers can be told from those of others whatever the clocks say.
 */
export function noteFor(site: { tagsNames: boolean }, name: string): string {
  if (!site.tagsNames) return name
  const tag = Array.from({ length: tagLength }, () => letters[randomInt(letters.length)]).join('')
  return `${[...name].slice(0, maxLength - tagLength - 2).join('')} ·${tag}`
}

/** Lists and the record never show the tag. */
export function withoutTag(note: string): string {
  return tagged.exec(note)?.[1] ?? note
}
