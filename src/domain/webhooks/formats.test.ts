import { expect, test } from 'vitest'
import { type Language, languages } from './event-types.ts'
import { formats } from './formats.ts'
import type { Fact } from './notification.ts'

const createdAt = new Date('2026-11-14T12:00:00Z')
const place = { site_id: 7, site: 'Haus_1 [A]' }
const one = [{ id: 'a', reference: 'R-1' }]
const three = [...one, { id: 'b', reference: null }, { id: 'c', reference: null }]
const threeCreated = { ...place, source: 'API: Check-in', vouchers: three }
const created: Fact = { type: 'voucher.created', data: threeCreated }
const batch = { ...place, source: 'API: Check-in', batch_id: 'e', reference: 'Fest' }
const finished: Fact = { type: 'batch.finished', data: { ...batch, made: 12, failed: 1, cancelled: 2 } }
const since = '2026-11-14T12:00:00.000Z'
const lost: Fact = { type: 'controller.unreachable', data: { controller: 'main', since, until: null, site_ids: [7] } }
const back: Fact = {
  type: 'controller.reachable',
  data: { controller: 'main', since, until: '2026-11-14T12:11:40.000Z', site_ids: [7] },
}
const test1: Fact = { type: 'webhook.test', data: { site_id: 0, site: 'Test', source: 'Test', vouchers: [] } }
const revoked = (reason: 'request' | 'valid_until' | 'unused' | 'controller'): Fact => ({
  type: 'voucher.revoked',
  data: { ...place, reason, vouchers: three },
})
const bodyOf = (format: string, fact: Fact, language: Language = 'de') =>
  formats[format]?.body({ createdAt, ...fact }, language)

test('generic: vouchers and batches have the ids of API v2, and only this format is signed', () => {
  const timestamp = '2026-11-14T12:00:00.000Z'
  const vouchers = [
    { id: '7-a', reference: 'R-1' },
    { id: '7-b', reference: null },
    { id: '7-c', reference: null },
  ]
  const many = { count: 3, ...place, voucher_ids: ['7-a', '7-b', '7-c'], vouchers }

  expect(bodyOf('generic', created)).toEqual({
    type: 'voucher.created',
    timestamp,
    data: { ...many, source: 'API: Check-in' },
  })
  expect(bodyOf('generic', { type: 'voucher.created', data: { ...threeCreated, batch_id: 'e' } })).toMatchObject({
    data: { batch_id: '7-e' },
  })
  expect(bodyOf('generic', revoked('unused'))).toEqual({
    type: 'voucher.revoked',
    timestamp,
    data: { ...many, reason: 'unused' },
  })
  expect(bodyOf('generic', finished)).toEqual({
    type: 'batch.finished',
    timestamp,
    data: { ...batch, batch_id: '7-e', made: 12, failed: 1, cancelled: 2 },
  })
  expect(bodyOf('generic', lost)).toEqual({ type: 'controller.unreachable', timestamp, data: lost.data })
  expect(Object.keys(formats).filter((name) => formats[name]?.signed)).toEqual(['generic'])
})

test('generic: the language changes nothing', () => {
  expect(languages.map((language) => bodyOf('generic', created, language))[1]).toEqual(bodyOf('generic', created))
})

test.each([
  ['slack', { text: '3 Voucher erstellt: Haus_1 [A] (API: Check-in)' }],
  ['rocket-chat', { text: '3 Voucher erstellt: Haus_1 [A] (API: Check-in)' }],
  ['mattermost', { text: '3 Voucher erstellt: Haus\\_1 \\[A\\] (API: Check-in)' }],
  ['discord', { content: '3 Voucher erstellt: Haus\\_1 \\[A\\] (API: Check-in)', allowed_mentions: { parse: [] } }],
])('%s', (format, body) => {
  expect(bodyOf(format, created)).toEqual(body)
})

test('teams: the message that a workflow takes, with one Adaptive Card 1.4', () => {
  expect(bodyOf('teams', created)).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text: '3 Voucher erstellt: Haus\\_1 \\[A\\] (API: Check-in)', wrap: true }],
        },
      },
    ],
  })
})

const site = 'Haus_1 [A]'

test.each<[string, Fact, german: string, english: string]>([
  ['created', created, `3 Voucher erstellt: ${site} (API: Check-in)`, `3 vouchers created: ${site} (API: Check-in)`],
  [
    'one created',
    { type: 'voucher.created', data: { ...threeCreated, vouchers: one } },
    `1 Voucher erstellt: ${site} (API: Check-in)`,
    `1 voucher created: ${site} (API: Check-in)`,
  ],
  [
    'first used',
    { type: 'voucher.first_used', data: { ...place, vouchers: one } },
    `1 Voucher erstmals benutzt: ${site}`,
    `1 voucher used for the first time: ${site}`,
  ],
  [
    'expired',
    { type: 'voucher.expired', data: { ...place, vouchers: three } },
    `3 Voucher abgelaufen: ${site}`,
    `3 vouchers expired: ${site}`,
  ],
  [
    'revoked on request',
    revoked('request'),
    `3 Voucher widerrufen: ${site} (auf Anforderung)`,
    `3 vouchers revoked: ${site} (on request)`,
  ],
  [
    'revoked at its end',
    revoked('valid_until'),
    `3 Voucher widerrufen: ${site} (Ende der Gültigkeit)`,
    `3 vouchers revoked: ${site} (end of validity)`,
  ],
  [
    'revoked because unused',
    revoked('unused'),
    `3 Voucher widerrufen: ${site} (nicht benutzt)`,
    `3 vouchers revoked: ${site} (not used)`,
  ],
  [
    'revoked elsewhere',
    revoked('controller'),
    `3 Voucher widerrufen: ${site} (auf dem Controller gelöscht)`,
    `3 vouchers revoked: ${site} (deleted on the controller)`,
  ],
  [
    'batch finished',
    finished,
    `Voucher-Liste beendet: ${site} (API: Check-in; 12 erstellt, 1 fehlgeschlagen, 2 abgebrochen)`,
    `Batch finished: ${site} (API: Check-in; 12 created, 1 failed, 2 cancelled)`,
  ],
  ['a controller lost', lost, 'Controller nicht erreichbar: main', 'Controller not reachable: main'],
  [
    'a controller back',
    back,
    'Controller wieder erreichbar: main (nach 12 Minuten)',
    'Controller reachable again: main (after 12 minutes)',
  ],
  ['a test', test1, 'Test: Benachrichtigungen kommen hier an.', 'Test: notifications arrive here.'],
])('%s, in German and in English', (_, fact, german, english) => {
  expect(bodyOf('slack', fact)).toEqual({ text: german })
  expect(bodyOf('slack', fact, 'en')).toEqual({ text: english })
})
