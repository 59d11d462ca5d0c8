import type { TFunction } from 'i18next'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../../client/voucher-api.generated.ts'
import { readAuditSearch, toQuery } from './audit-search.ts'
import { byDay, dayWords, differencesOf, makersOf, sentenceOf } from './audit-words.ts'

const texts: Record<string, string> = {
  'audit.did-site-changed': 'changed the site {{target}} today',
  'audit.did-staff-signed_out': 'signed out',
  'audit.did-staff-signed_out-other': 'signed {{target}} out',
  'audit.did-vouchers-revoked_other': 'revoked {{count}} vouchers',
  'audit.did-other': 'did {{action}}: {{target}}',
}
const exists = (key: string) => key in texts
const t = ((key: string, values: Record<string, unknown>) =>
  (texts[key] ?? texts[`${key}_other`] ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
    String(values[name]),
  )) as unknown as TFunction

const entry = (changes: Partial<AuditEntry>): AuditEntry => ({
  id: '1',
  at: '2026-11-15T10:00:00.000Z',
  actor: { kind: 'staff', id: 'p', name: 'Anna' },
  action: 'site.changed',
  target: { kind: 'site', id: '7', name: 'Adler' },
  address: null,
  details: {},
  ...changes,
})

test('a sentence names its target; an unknown action names itself', () => {
  const person = { kind: 'staff', id: 'p', name: 'Anna' }

  expect(sentenceOf(t, exists, entry({}))).toEqual(['changed the site ', 'Adler', ' today'])
  expect(sentenceOf(t, exists, entry({ target: { kind: 'site', id: '7', name: null } }))[1]).toBe('#7')
  expect(sentenceOf(t, exists, entry({ action: 'a.b' }))).toEqual(['did a.b: ', 'Adler', ''])
  expect(sentenceOf(t, exists, entry({ action: 'staff.signed_out', target: person }))).toEqual(['signed out', '', ''])
  expect(sentenceOf(t, exists, entry({ action: 'staff.signed_out' }))).toEqual(['signed ', 'Adler', ' out'])
  const revoked = entry({ action: 'vouchers.revoked', details: { vouchers: 12 } })
  expect(sentenceOf(t, exists, revoked)).toEqual(['revoked 12 vouchers', '', ''])
})

test('the difference has old and new values; for a secret it says only that it changed', () => {
  const details = {
    name: 'unifi-09',
    changes: { address: 'https://b', site_ids: [1], pin: { from: null, to: 'x' } },
    before: { address: 'https://a' },
    secret_replaced: true,
    wifi_password: 'erased',
    scope: 'read',
  }

  expect(differencesOf(entry({ details }))).toEqual([
    { field: 'address', before: 'https://a', after: 'https://b' },
    { field: 'site_ids', after: [1] },
    { field: 'pin', before: null, after: 'x' },
    { field: 'secret', after: null, secret: 'changed' },
    { field: 'wifi_password', after: null, secret: 'erased' },
    { field: 'scope', after: 'read' },
  ])
})

test('entries are grouped by the days of the site, in their order', () => {
  const at = (time: string) => entry({ at: `${time}:00.000Z` })
  const days = byDay([at('2026-11-15T12:00'), at('2026-11-14T23:01'), at('2026-11-14T22:59')], 'Europe/Vienna')

  expect(days.map(({ day, entries }) => [day, entries.length])).toEqual([
    ['2026-11-15', 2],
    ['2026-11-14', 1],
  ])
})

test('today and yesterday are days of the site', () => {
  const t = ((key: string, { day }: { day: string }) => `${key} ${day}`) as unknown as TFunction
  const now = new Date('2026-11-15T23:30:00Z') // already the 16th in Vienna
  const words = (day: string) => dayWords(t, day, { language: 'en', timeZone: 'Europe/Vienna', now })

  expect(['2026-11-16', '2026-11-15', '2026-11-14', '2025-11-16'].map(words)).toEqual([
    'audit.today Monday 16 November',
    'audit.yesterday Sunday 15 November',
    'Saturday 14 November',
    'Sunday, 16 November 2025',
  ])
})

test('the address keeps known filters only, and they become those of the API', () => {
  const search = readAuditSearch({ who: 'staff', group: 'voucher', days: 7, target: 'site:7', actor: 'x', page: 1 })

  expect(search).toEqual({ who: 'staff', group: 'voucher', days: '7', target: 'site:7' })
  expect(toQuery(search, Date.parse('2026-11-15T00:00:00Z'))).toEqual({
    actor_kind: 'staff',
    action: ['voucher', 'vouchers'],
    after: '2026-11-08T00:00:00.000Z',
    target_kind: 'site',
    target_id: '7',
  })
})

test('the people and keys of an entry, each once', () => {
  const entry = (actor: object, target: object) => ({ actor, target }) as AuditEntry
  const anna = { kind: 'staff', id: 'a', name: 'Anna' }

  expect(makersOf(entry(anna, anna))).toEqual([{ id: 'a', name: 'Anna' }])
  expect(makersOf(entry(anna, { kind: 'key', id: 'k', name: 'PMS' }))).toEqual([
    { id: 'a', name: 'Anna' },
    { id: 'k', name: 'PMS' },
  ])
  expect(makersOf(entry({ kind: 'command', id: null, name: 'root' }, { kind: 'site', id: '7', name: 'Bär' }))).toEqual(
    [],
  )
})
