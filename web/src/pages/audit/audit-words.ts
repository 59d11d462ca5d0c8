import type { TFunction } from 'i18next'
import type { AuditEntry } from '../../../../client/voucher-api.generated.ts'
import { addDays, toWallTime } from '../../components/voucher/zoned-time.ts'
import { formatTime } from '../../formats.ts'
import type { Language } from '../../i18n/i18n.ts'

/** Actions whose entry says how many things were changed, and the field that says it. */
const counts: Record<string, string> = {
  'vouchers.revoked': 'vouchers',
  'vouchers.adopted': 'vouchers',
  'vouchers.withdrawn': 'vouchers',
  'webhook.replayed': 'count',
}

const marker = '\u0000'

/** The sentence after the name of the actor, before and after the name of the target: "changed the site", "Adler", "". */
export function sentenceOf(
  t: TFunction,
  exists: (key: string) => boolean,
  entry: AuditEntry,
): [string, string, string] {
  const { action, actor, target, details } = entry
  const isOther = action === 'staff.signed_out' && actor.id !== target.id
  const key = `audit.did-${action.replace('.', '-')}${isOther ? '-other' : ''}`
  const values = { target: marker, action, count: Number(details[counts[action] ?? ''] ?? 0) }
  const isKnown = exists(key) || exists(`${key}_other`)
  const text = t((isKnown ? key : 'audit.did-other') as 'audit.did-other', values)
  const [before = '', after] = text.split(marker)
  return after === undefined ? [before, '', ''] : [before, targetName(entry), after]
}

/** The name of the target, otherwise its number or the beginning of its id. */
export function targetName({ target: { kind, id, name } }: AuditEntry): string {
  return name ?? (kind === 'site' ? `#${id}` : id.slice(0, 8))
}

/** The people and keys of an entry. Each may have created vouchers, which the audit does not record. */
export function makersOf(entry: AuditEntry): { id: string; name: string }[] {
  const { actor, target } = entry
  const isMaker = (kind: string) => kind === 'staff' || kind === 'key'
  return [
    ...(isMaker(actor.kind) && actor.id !== null ? [{ id: actor.id, name: actor.name }] : []),
    ...(isMaker(target.kind) && target.id !== actor.id ? [{ id: target.id, name: targetName(entry) }] : []),
  ]
}

export function actorName(t: TFunction, { actor: { kind, name } }: Pick<AuditEntry, 'actor'>): string {
  return kind === 'service' ? t('audit.service') : name
}

/** One line of the opened entry. A secret has no values. */
export type Difference = { field: string; before?: unknown; after: unknown; secret?: 'changed' | 'erased' }

/** The fields of an entry with their values before and after. The name is left out: the sentence has it. */
export function differencesOf({ details }: AuditEntry): Difference[] {
  const { changes, before, name: _, guest_fields: ofGuest, ...more } = details
  const old = isObject(before) ? before : {}
  const changed = Object.entries(isObject(changes) ? changes : {}).map(([field, value]) =>
    isFromTo(value)
      ? { field, before: value.from, after: value.to }
      : { field, ...(field in old && { before: old[field] }), after: value },
  )
  const hidden = (Array.isArray(ofGuest) ? ofGuest : []).map((field) => otherDetail([`${field}_replaced`, true]))
  return [...changed, ...hidden.flat(), ...Object.entries(more).flatMap(otherDetail)]
}

/** Secrets are recorded as `secret_replaced: true` or `wifi_password: "replaced"`. */
function otherDetail([field, value]: [string, unknown]): Difference[] {
  const named = /^(.+)_(replaced|erased)$/.exec(field)
  const [secret, how] = named && value === true ? [named[1] as string, named[2]] : [field, value]
  if (how === 'replaced') return [{ field: secret, after: null, secret: 'changed' }]
  if (how === 'erased') return [{ field: secret, after: null, secret: 'erased' }]
  return [{ field, after: value }]
}

/** Entries of older versions have both values in `changes`. */
function isFromTo(value: unknown): value is { from: unknown; to: unknown } {
  return isObject(value) && 'from' in value && 'to' in value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A recorded value as people read it. */
export function valueWords(t: TFunction, value: unknown): string {
  if (value === null || value === undefined || value === '') return t('audit.nothing')
  if (value === 'all') return t('audit.all')
  if (Array.isArray(value)) return value.length === 0 ? t('audit.nothing') : value.map(String).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The entries of each day in this time zone, in the order of the list. A day is written as `2026-11-15`. */
export function byDay(entries: AuditEntry[], timeZone: string): { day: string; entries: AuditEntry[] }[] {
  const days = Map.groupBy(entries, ({ at }) => toWallTime(new Date(at), timeZone).slice(0, 10))
  return [...days].map(([day, ofDay]) => ({ day, entries: ofDay }))
}

type Now = { language: Language; timeZone: string; now?: Date }

/** "Today, Sunday 15 November". */
export function dayWords(t: TFunction, day: string, { language, timeZone, now = new Date() }: Now): string {
  const today = toWallTime(now, timeZone).slice(0, 10)
  const isThisYear = day.slice(0, 4) === today.slice(0, 4)
  const long = { weekday: 'long', day: 'numeric', month: 'long' } as const
  const words = formatTime(day, { timeZone: 'UTC', ...long, ...(!isThisYear && { year: 'numeric' }) }, language)
  if (day === today) return t('audit.today', { day: words })
  return day === addDays(today, -1) ? t('audit.yesterday', { day: words }) : words
}
