import { Type } from 'typebox'
import { formatTimeIn } from '#lib/intl-formats.ts'
import type { Language } from '../../../server/preferred-language.ts'
import type { Separator } from './csv.ts'

export const languageField = Type.Optional(
  Type.Unsafe<Language>({
    type: 'string',
    enum: ['en', 'de'],
    description:
      'The language of a table for people: of its headers, numbers and dates. Without it, Accept-Language decides.',
  }),
)

/** How a spreadsheet in a language expects the values of a CSV file. */
export type SpreadsheetFormat = {
  separator: Separator
  /** The local time in a time zone. Null stays null. */
  time(at: Date | null, timeZone: string): string | null
  /** A day such as `2026-11-18`. */
  day(day: string): string
  /** A number, rounded to two decimals. */
  number(value: number): string | number
}

/**
 * English dates are written as `2026-11-18 14:05`, because Excel reads `11/18/2026` only in some English-speaking countries.
 * Numbers have no separators of thousands: Excel reads `1.000` as 1 if its region is not the expected one.
 */
export function createSpreadsheetFormat(language: Language): SpreadsheetFormat {
  const isGerman = language === 'de'
  const inOrder = (time: string) => (isGerman ? time.replace(/^(\d+)-(\d\d)-(\d\d)/, '$3.$2.$1') : time)
  return {
    separator: isGerman ? ';' : ',',
    // The Swedish locale writes times as `2026-11-18 14:05`.
    time: (at, timeZone) =>
      at && inOrder(formatTimeIn('sv-SE', at, { timeZone, dateStyle: 'short', timeStyle: 'short' })),
    day: inOrder,
    number(value) {
      const rounded = Math.round(value * 100) / 100
      return isGerman && !Number.isInteger(rounded) ? String(rounded).replace('.', ',') : rounded
    },
  }
}
