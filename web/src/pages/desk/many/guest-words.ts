import type { TFunction } from 'i18next'
import { longestName } from '../../../components/creation/desk-input.ts'
import { durationWords, timeWords } from '../../../components/voucher/voucher-words.ts'
import { formatTime } from '../../../formats.ts'
import type { ColumnKind } from './guest-columns.ts'
import { type CellError, type GuestRow, remember } from './guest-rows.ts'
import type { GuestTable } from './guest-table.ts'

/** "34 rows, 5 columns". */
export function tableWords(t: TFunction, { rows, columns }: GuestTable): string {
  return `${t('many.rows', { count: rows.length })}, ${t('many.columns', { count: columns.length })}`
}

/** Returns a function for the text of a cell: ends and durations in the long form, so that a wrong day is seen. */
export function cellWords(t: TFunction, timeZone: string): (row: GuestRow, kind: ColumnKind, text: string) => string {
  const endWords = remember((iso) => timeWords(new Date(iso), timeZone))
  return (row, kind, text) => {
    if (kind === 'until' && row.until) return endWords(row.until.at.toISOString())
    if (kind === 'duration' && row.minutes !== undefined) return durationWords(t, row.minutes)
    if (kind === 'devices' && row.devices !== undefined) return row.devices === 0 ? t('many.any') : String(row.devices)
    return text
  }
}

/** The sentence under a wrong cell: its mistake, and what to write instead. */
export function errorWords(t: TFunction, error: CellError): string {
  if (error.kind === 'days') {
    const { month, days } = error
    return t('many.cell-days', { month: monthName(month), days, example: `${days}.${month}.` })
  }
  if (error.kind === 'name-too-long') return t('many.cell-name-too-long', { most: longestName })
  return t(`many.cell-${error.kind}`)
}

function monthName(month: number): string {
  const date = new Date(Date.UTC(2026, month - 1, 1))
  return formatTime(date, { month: 'long', timeZone: 'UTC' })
}
