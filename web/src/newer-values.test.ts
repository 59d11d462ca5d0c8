import { MantineProvider } from '@mantine/core'
import i18next from 'i18next'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { StatusWords } from './components/voucher/status-mark.tsx'
import { initTexts } from './i18n/i18n.ts'
import { entryFor, orValue } from './newer-values.ts'
import { ActorMark } from './pages/audit/audit-list.tsx'
import { attentionLines } from './pages/overview/attention-lines.ts'
import { StateMark } from './pages/sites/state-mark.tsx'
import { StateCell } from './pages/webhooks/delivery-cells.tsx'
import { siteStateText, toneOf } from './sites.ts'

await initTexts('en')
// These add their texts when they are loaded, which is possible only now.
const { ConnectionTest } = await import('./components/controller/connection-test.tsx')
const { entryWords } = await import('./pages/vouchers/timeline.tsx')
const { messageWords } = await import('./components/voucher/email/message-words.ts')

/** A value that a newer service may send. */
const newer = 'half_open' as never
const textOf = (element: ReactNode) => renderToStaticMarkup(createElement(MantineProvider, null, element))

test('an unknown value gets the fallback, even if objects have a property of that name', () => {
  expect(entryFor({ a: 1 }, 'a', 0)).toBe(1)
  expect(entryFor({ a: 1 }, 'b', 0)).toBe(0)
  expect(entryFor({ a: 1 }, 'constructor', 0)).toBe(0)
  expect(orValue('half_open')).toEqual({ defaultValue: 'half open' })
})

test('an unknown state of a message is shown as the service sent it', () => {
  expect(messageWords(i18next.t, { state: newer, email: 'a@example.org' })).toBe('half open')
})

test('an unknown state of a site has no colour and is not called reachable', () => {
  expect(toneOf(newer)).toBe('none')
  expect(siteStateText(newer)).toBe('sites.unknown')
  expect(textOf(createElement(StateMark, { state: newer }))).toContain('half open')
})

test.each([
  ['status of a voucher', createElement(StatusWords, { status: newer })],
  ['state of a delivery', createElement(StateCell, { state: newer })],
  ['kind of actor', createElement(ActorMark, { entry: { actor: { kind: newer, id: null, name: 'X' } } })],
])('an unknown %s is shown as it is', (_, element) => {
  expect(textOf(element)).toContain('half open')
})

test('an unknown result of a connection test is shown like a test that was skipped', () => {
  const layer = { layer: 'name' as const, result: newer, cause: null, message: 'Perhaps', duration_ms: 3 }
  const check = { ok: false, layers: [layer], certificate: null, addresses: [], sites: null } as never

  const test = { check, isRunning: false, error: null }
  expect(textOf(createElement(ConnectionTest, { test, remedies: {} }))).toContain('Perhaps')
})

test('an unknown event in the history of a voucher is not called a revocation', () => {
  expect(entryWords(i18next.t, { type: newer, at: '', by: null } as never, 'UTC')).toEqual(['half open'])
})

test('an unknown problem of a controller is a failure', () => {
  const formats = { since: () => '', number: String, daysUntil: () => 0 } as never
  const controllers = [
    { id: 'c', name: 'unifi', site: 'Hotel', site_id: 1, site_count: 1, since: null, problem: newer },
  ]
  const attention = { worker_running: true, controllers, webhooks: [], keys: [], batches: [], unrecorded: [] } as never

  expect(attentionLines({ t: i18next.t, formats, isAdmin: true }, attention)).toMatchObject([{ key: 'failing' }])
})
