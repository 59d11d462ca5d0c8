import type { GuestLanguage } from '#slips/guest-languages.ts'
import { maxSlipLanguages, type SlipLine, slipLines } from '#slips/slip-lines.ts'
import type { GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import { type Changed, changedFields } from '../../../changed-fields.ts'

export type ChosenLine = { line: SlipLine; isShown: boolean }

/** The slip of a site as the editor has it. `lines` has all lines. */
export type SlipValues = {
  lines: ChosenLine[]
  languages: GuestLanguage[]
  perLanguage: boolean
  passwordForKeys: boolean
}

export function toSlipValues(stored: GuestInfo): SlipValues {
  return {
    lines: withHiddenLines(stored.slip_lines),
    languages: stored.guest_languages.slice(0, maxSlipLanguages),
    perLanguage: stored.slip_per_language,
    passwordForKeys: stored.slip_password_for_keys,
  }
}

/** The shown lines in their order. A hidden line stands behind the line that it usually follows. */
function withHiddenLines(shown: SlipLine[]): ChosenLine[] {
  const lines = shown.map((line): ChosenLine => ({ line, isShown: true }))
  slipLines.forEach((line, index) => {
    if (shown.includes(line)) return
    const before = lines.findIndex((one) => one.line === slipLines[index - 1])
    lines.splice(before + 1, 0, { line, isShown: false })
  })
  return lines
}

const shownLines = ({ lines }: SlipValues) => lines.flatMap(({ line, isShown }) => (isShown ? [line] : []))

/** The values as they are saved. */
const toGuestInfo = (values: SlipValues) => ({
  slip_lines: shownLines(values),
  guest_languages: values.languages,
  slip_per_language: values.perLanguage,
  slip_password_for_keys: values.passwordForKeys,
})

/** The fields that differ from what is stored; undefined if none does. Hidden lines have no stored order. */
export function slipChange(
  stored: SlipValues,
  values: SlipValues,
): Changed<ReturnType<typeof toGuestInfo>> | undefined {
  return changedFields(toGuestInfo(stored), toGuestInfo(values), ['slip_lines', 'guest_languages'])
}

/** The fields on which the picture depends. */
export function slipToDraw(values: SlipValues) {
  const { slip_password_for_keys: _, ...drawn } = toGuestInfo(values)
  return drawn
}

/** The lines after one of them has moved to another place, from 0. */
export function moveLine(lines: ChosenLine[], line: SlipLine, to: number): ChosenLine[] {
  const from = lines.findIndex((one) => one.line === line)
  const moved = lines[from]
  if (!moved || to < 0 || to >= lines.length) return lines
  return lines.toSpliced(from, 1).toSpliced(to, 0, moved)
}
