import { expect, test } from 'vitest'
import type { Notification } from './formats.ts'
import { formats } from './formats.ts'

const createdAt = new Date('2026-11-14T12:00:00Z')
const created: Notification = {
  type: 'voucher.created',
  createdAt,
  data: { count: 3, site_id: 7, site: 'Haus_1 [A]', source: 'API: Check-in', voucher_ids: ['a', 'b', 'c'] },
}
const lost: Notification = {
  type: 'controller.unreachable',
  createdAt,
  data: { controller: 'main', since: '2026-11-14T12:00:00.000Z', until: null },
}
const back: Notification = {
  type: 'controller.reachable',
  createdAt,
  data: { controller: 'main', since: '2026-11-14T12:00:00.000Z', until: '2026-11-14T12:11:40.000Z' },
}
const bodyOf = (format: string, event: Notification) => formats[format]?.body(event)

test('generic: the event as it is, and only this one is signed', () => {
  expect(bodyOf('generic', created)).toEqual({
    type: 'voucher.created',
    timestamp: '2026-11-14T12:00:00.000Z',
    data: created.data,
  })
  expect(bodyOf('generic', lost)).toEqual({
    type: 'controller.unreachable',
    timestamp: '2026-11-14T12:00:00.000Z',
    data: { controller: 'main', since: '2026-11-14T12:00:00.000Z', until: null },
  })
  expect(Object.keys(formats).filter((name) => formats[name]?.signed)).toEqual(['generic'])
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

test('a controller lost and back, in words', () => {
  expect(bodyOf('slack', lost)).toEqual({ text: 'Controller nicht erreichbar: main' })
  expect(bodyOf('slack', back)).toEqual({ text: 'Controller wieder erreichbar: main (nach 12 Minuten)' })
})
