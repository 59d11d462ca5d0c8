import type { Guest } from '#domain/guests/guest.queries.ts'
import type { ExportedRow, StoredData } from '#domain/guests/guest-export.queries.ts'
import { snakeCase, withSnakeCase } from '#lib/snake-case.ts'
import { zip } from '#lib/zip.ts'
import { type Html, html, trustedMarkup } from '../reference/html.ts'

/** The name of the file does not have the name of the guest. */
export function guestDataFileName(now: Date): string {
  return `guest-data-${now.toISOString().slice(0, 10)}.zip`
}

/** Everything that is stored about guests as a ZIP file: as JSON, and as a page that people can read. */
export function guestDataFile(guests: Guest[], data: StoredData, now: Date): Buffer {
  const content = withSnakeCase({ exportedAt: now.toISOString(), guests, ...asJson(data) })
  return zip(
    [
      { name: 'guest-data.json', content: Buffer.from(`${JSON.stringify(content, null, 2)}\n`) },
      { name: 'guest-data.html', content: Buffer.from(`<!doctype html>\n${page(guests, data, now).markup}\n`) },
    ],
    now,
  )
}

/** Dates become texts first: `withSnakeCase` reads objects by their fields. */
function asJson(data: StoredData): object {
  return JSON.parse(JSON.stringify(data))
}

const titles: Record<keyof StoredData, { de: string; en: string }> = {
  vouchers: { de: 'Voucher', en: 'Vouchers' },
  creations: { de: 'Anfragen der letzten 24 Stunden', en: 'Requests of the last 24 hours' },
  batchRows: { de: 'Zeilen von Listen', en: 'Rows of lists' },
  messages: { de: 'E-Mails', en: 'E-mails' },
  events: { de: 'Benachrichtigungen', en: 'Notifications' },
  audit: { de: 'Protokoll', en: 'Audit' },
}

/** German words for fields whose English name a reader may not know. Other fields have their name in the JSON file. */
const germanFields: Record<string, string> = {
  site: 'Standort',
  code: 'Code',
  name: 'Name',
  controllerName: 'Name auf dem Controller',
  reference: 'Referenz',
  status: 'Status',
  state: 'Zustand',
  maxUses: 'Geräte',
  expireMinutes: 'Minuten',
  usedCount: 'Anmeldungen',
  createdAt: 'Erstellt',
  firstUsedAt: 'Erste Anmeldung',
  expiresAt: 'Ende der Minuten',
  validUntil: 'Gültig bis',
  unusedUntil: 'Unbenutzt gültig bis',
  revokedAt: 'Widerrufen',
  createdBy: 'Erstellt von',
  sentAt: 'Gesendet',
  settledAt: 'Abgeschlossen',
  type: 'Art',
  webhooks: 'Empfänger',
  vouchers: 'Voucher',
  at: 'Zeit',
  action: 'Aktion',
  by: 'Von',
  details: 'Einzelheiten',
  number: 'Nummer',
  failure: 'Fehler',
  email: 'E-Mail-Adresse',
  language: 'Sprache',
  answer: 'Antwort des Mailservers',
}

function page(guests: Guest[], data: StoredData, now: Date): Html {
  const names = [...new Set(guests.map(({ name }) => name))].join(', ')
  const time = now.toISOString()
  return html`<html lang="en"><head><meta charset="utf-8"><title>Guest data / Gästedaten</title>
<style>${trustedMarkup(style)}</style></head><body>
<h1>${names}</h1>
<p>Everything that the voucher service stores about this name, at ${time}. Times are UTC.</p>
<p lang="de">Alles, was der Voucher-Dienst zu diesem Namen speichert, Stand ${time}. Zeiten sind UTC.</p>
${(Object.keys(titles) as (keyof StoredData)[]).map((place) => section(place, data[place]))}
</body></html>`
}

const style = `body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; color: #111; background: #fff }
table { border-collapse: collapse } th, td { border: 1px solid #bbb; padding: .25rem .5rem; text-align: left; vertical-align: top }
th { background: #eee } div { overflow-x: auto }`

function section(place: keyof StoredData, rows: ExportedRow[]): Html {
  const { de, en } = titles[place]
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => toText(row[column]) !== ''))
  return html`<h2>${en} / <span lang="de">${de}</span></h2>
${rows.length === 0 ? html`<p>Nothing is stored. / <span lang="de">Nichts ist gespeichert.</span></p>` : table(columns, rows)}
`
}

function table(columns: string[], rows: ExportedRow[]): Html {
  return html`<div><table><thead><tr>${columns.map((column) => html`<th scope="col">${heading(column)}</th>`)}</tr></thead><tbody>
${rows.map((row) => html`<tr>${columns.map((column) => html`<td>${toText(row[column])}</td>`)}</tr>\n`)}</tbody></table></div>`
}

function heading(column: string): Html {
  const [en, de] = [snakeCase(column).replaceAll('_', ' '), germanFields[column]]
  return de === undefined ? html`${en}` : html`${en} / <span lang="de">${de}</span>`
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
