import { randomInt } from 'node:crypto'

/** Characters of a tag: no letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const tagLength = 6
/** The longest name that a controller is known to keep. */
const maxLength = 255
const tagged = /^(.*) ·[a-hjkmnp-z2-9]{6}$/su

/**
 * The name of a voucher on the controller (its note), with a tag if the site uses tags: `2026-11-15_Room 12 ·k3f9ab`. Every
 * call that makes vouchers gets a new tag, so its vouchers are recognised even if clocks are wrong.
 */
export function noteFor(site: { tagsNames: boolean }, name: string): string {
  if (!site.tagsNames) return name
  const tag = Array.from({ length: tagLength }, () => letters[randomInt(letters.length)]).join('')
  return `${[...name].slice(0, maxLength - tagLength - 2).join('')} ·${tag}`
}

/** The name without its tag, as the record and all lists show it. */
export function withoutTag(note: string): string {
  return tagged.exec(note)?.[1] ?? note
}
