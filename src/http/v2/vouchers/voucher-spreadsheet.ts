import { endOf, type RecordedVoucher, statusAt, type VoucherStatus } from '#domain/record/voucher.ts'
import { formattedCode } from '#drivers/driver.ts'
import type { Language } from '../../server/preferred-language.ts'
import type { SpreadsheetFormat } from '../kit/files/spreadsheet.ts'

type Cell = string | number | null
type Site = { name: string; timeZone: string }
type Texts = { status: Record<VoucherStatus, string>; noLimit: string; onController: string }
type Row = { voucher: RecordedVoucher; site: Site; now: Date; texts: Texts; format: SpreadsheetFormat }

/** The same words as in the web app. */
const texts: Record<Language, Texts> = {
  en: {
    status: { valid: 'Valid', used: 'Used', expired: 'Expired', revoked: 'Revoked' },
    noLimit: 'no limit',
    onController: 'On the controller',
  },
  de: {
    status: { valid: 'Gültig', used: 'Benutzt', expired: 'Abgelaufen', revoked: 'Widerrufen' },
    noLimit: 'unbegrenzt',
    onController: 'Auf dem Controller',
  },
}

type Column = Record<Language, string> & { read: (row: Row) => Cell }

const columns: Column[] = [
  { en: 'Site', de: 'Standort', read: ({ site }) => site.name },
  { en: 'Name', de: 'Name', read: ({ voucher }) => voucher.name },
  { en: 'Code', de: 'Code', read: ({ voucher }) => codeAsText(voucher.code) },
  { en: 'Status', de: 'Status', read: ({ voucher, now, texts }) => texts.status[statusAt(now, voucher)] },
  { en: 'Created', de: 'Erstellt', read: timeOf(({ createdAt }) => createdAt) },
  { en: 'Created by', de: 'Erstellt von', read: ({ voucher, texts }) => voucher.maker?.name ?? texts.onController },
  { en: 'First used', de: 'Zum ersten Mal benutzt', read: timeOf(({ firstUsedAt }) => firstUsedAt) },
  { en: 'Ends', de: 'Endet', read: timeOf(endOf) },
  { en: 'Revoked', de: 'Widerrufen', read: timeOf(({ revokedAt }) => revokedAt) },
  { en: 'Time zone', de: 'Zeitzone', read: ({ site }) => site.timeZone },
  {
    en: 'Valid for (hours)',
    de: 'Gültig für (Stunden)',
    read: ({ voucher, format }) => format.number(voucher.expireMinutes / 60),
  },
  { en: 'Devices', de: 'Geräte', read: limitOf(({ maxUses }) => maxUses) },
  { en: 'Devices in use', de: 'Geräte benutzt', read: ({ voucher }) => voucher.usedCount },
  { en: 'Download (Mbit/s)', de: 'Download (Mbit/s)', read: limitOf(({ downKbps }) => downKbps / 1000) },
  { en: 'Upload (Mbit/s)', de: 'Upload (Mbit/s)', read: limitOf(({ upKbps }) => upKbps / 1000) },
  { en: 'Data (MB)', de: 'Datenmenge (MB)', read: limitOf(({ quotaMb }) => quotaMb) },
  { en: 'Reference', de: 'Referenz', read: ({ voucher }) => voucher.reference },
]

export function spreadsheetHeaders(language: Language): string[] {
  return columns.map((column) => column[language])
}

/** A voucher as people read it: names and local times instead of ids and UTC, as spreadsheets of the language expect them. */
export function toSpreadsheetRow(row: Omit<Row, 'texts'> & { language: Language }): Cell[] {
  return columns.map(({ read }) => read({ ...row, texts: texts[row.language] }))
}

/** A spreadsheet reads 0861 as 861 and 12e4 as 120000. A space in the middle makes a text of them. */
function codeAsText(code: string): string {
  const half = Math.ceil(code.length / 2)
  const formatted = formattedCode(code)
  return /^\d+(e\d+)?$/i.test(formatted) ? `${code.slice(0, half)} ${code.slice(half)}` : formatted
}

function timeOf(read: (voucher: RecordedVoucher) => Date | null) {
  return ({ voucher, site, format }: Row) => format.time(read(voucher), site.timeZone)
}

/** Controllers take 0 for no limit. */
function limitOf(read: (voucher: RecordedVoucher) => number) {
  return ({ voucher, texts, format }: Row) => (read(voucher) === 0 ? texts.noLimit : format.number(read(voucher)))
}
