import { expect, test } from 'vitest'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { changeDesk, type Desk, type DeskEvent, emptyDesk, type Failure, restoreDesk } from './creation.ts'
import { limitsOf } from './desk-input.ts'

const input = { name: 'Room 204', choice: 't1', limits: limitsOf(undefined, 'UTC') }
const request = { site_id: 1, name: 'Room 204', template_id: 't1' }
const voucher = { id: '1-a', formatted_code: '48273-91056' } as Voucher
const submit = (newKey = 'k1', changes = {}): DeskEvent => ({
  type: 'submit',
  newKey,
  request: { ...request, ...changes },
  input,
  now: 1000,
})
const failed = (facts: Partial<Failure>, key = 'k1', now = 2000): DeskEvent => {
  const none = { error: 'x', message: '', fields: [], requestId: 'r1', retryAfter: null, outcome: null }
  return { type: 'failed', key, now, failure: { ...none, status: 500, ...facts } }
}
const after = (...events: DeskEvent[]) => events.reduce(changeDesk, emptyDesk)
const kindOf = ({ current }: Desk) => current?.status.kind

test('a second click while the first request is on its way starts nothing', () => {
  const desk = after(submit('k1'))

  expect(changeDesk(desk, submit('k2'))).toBe(desk)
  expect(changeDesk(after(submit('k1'), failed({ outcome: 'unknown' })), submit('k2')).current?.key).toBe('k1')
})

test.each<[string, Partial<Failure>, string]>([
  ['Voucher-Outcome: none', { status: 500, outcome: 'none' }, 'none'],
  ['an invalid field', { status: 400, outcome: 'unknown' }, 'none'],
  ['a site that is inactive', { status: 404 }, 'none'],
  ['Voucher-Outcome: unknown', { status: 502, outcome: 'unknown' }, 'unknown'],
  ['a request that is still running', { status: 409, outcome: 'unknown' }, 'unknown'],
  ['a 409 without the header', { status: 409 }, 'unknown'],
  ['a lost connection', { status: 0, error: 'no_answer' }, 'unknown'],
  ['an error without the header', { status: 500 }, 'unknown'],
  ['an answer of a proxy', { status: 404, error: 'unexpected_answer' }, 'unknown'],
  ['too many requests', { status: 429, retryAfter: 12 }, 'limited'],
  ['an ended session', { status: 401 }, 'signed-out'],
])('%s', (_, facts, kind) => {
  expect(kindOf(after(submit(), failed(facts)))).toBe(kind)
})

test('too many requests: the time to send again comes from Retry-After', () => {
  expect(after(submit(), failed({ status: 429, retryAfter: 12 })).current?.status).toEqual({
    kind: 'limited',
    until: 14_000,
  })
})

test('a repeat after the outcome none has the same key, or a new one if something was changed', () => {
  const none = after(submit('k1'), failed({ outcome: 'none' }))

  expect(changeDesk(none, submit('k2')).current?.key).toBe('k1')
  expect(changeDesk(none, submit('k2', { name: 'Room 205' })).current?.key).toBe('k2')
})

test('the next guest has a new key, and the open creation continues in the background', () => {
  const desk = after(submit('k1'), failed({ outcome: 'unknown' }), { type: 'next' }, submit('k2'))

  expect(desk.current?.key).toBe('k2')
  expect(desk.aside.map(({ key, status }) => [key, status.kind])).toEqual([['k1', 'unknown']])
})

test('a creation in the background becomes made or none, and the current one does not change', () => {
  const left = after(submit('k1'), failed({ outcome: 'unknown' }), { type: 'next' }, submit('k2'))
  const made = changeDesk(left, { type: 'made', key: 'k1', voucher })
  const none = changeDesk(left, { type: 'asked', key: 'k1', outcome: 'none', now: 3000 })

  expect([made.aside[0]?.status.kind, none.aside[0]?.status.kind]).toEqual(['made', 'none'])
  expect([kindOf(made), kindOf(none)]).toEqual(['sending', 'sending'])
})

test('opening a creation from the background puts the current one there if its outcome is open', () => {
  const desk = after(
    submit('k1'),
    failed({ outcome: 'unknown' }),
    { type: 'next' },
    submit('k2'),
    failed({ outcome: 'unknown' }, 'k2'),
    { type: 'open', key: 'k1' },
  )

  expect([desk.current?.key, desk.aside.map(({ key }) => key)]).toEqual(['k1', ['k2']])
})

test('a settled creation is removed when the next guest is served', () => {
  expect(after(submit(), { type: 'made', key: 'k1', voucher }, { type: 'next' })).toEqual(emptyDesk)
  expect(after(submit(), failed({ outcome: 'none' }), { type: 'next' })).toEqual(emptyDesk)
})

test('after a lost connection, "none" counts only when the request can no longer arrive', () => {
  const lost = after(submit(), failed({ status: 0 }, 'k1', 10_000))
  const asked = (now: number): DeskEvent => ({ type: 'asked', key: 'k1', outcome: 'none', now })

  expect(kindOf(changeDesk(lost, asked(14_999)))).toBe('unknown')
  expect(kindOf(changeDesk(lost, asked(15_000)))).toBe('none')
})

test('the reason of an unavailable service is kept until the outcome is known', () => {
  const refused = { status: 503, outcome: 'unknown' as const, message: 'The service is held.' }
  const asked: DeskEvent = { type: 'asked', key: 'k1', outcome: 'none', now: 3000 }

  const held = after(submit(), failed({ ...refused, error: 'unavailable' }), asked)
  const timedOut = after(submit(), failed({ ...refused, error: 'controller_timeout' }), asked)

  expect(held.current?.status).toMatchObject({ kind: 'none', problem: { message: 'The service is held.' } })
  expect(timedOut.current?.status).toMatchObject({ kind: 'none', problem: { message: '' } })
})

test('while the service looks for the voucher the outcome stays open, and a missing connection is shown until an answer', () => {
  const open = after(submit(), failed({ outcome: 'unknown' }), { type: 'not-asked', key: 'k1', trouble: 'offline' })
  const again = changeDesk(open, { type: 'asked', key: 'k1', outcome: 'running', now: 90_000 })

  expect(open.current?.status).toMatchObject({ kind: 'unknown', trouble: 'offline' })
  expect(again.current?.status).toMatchObject({ kind: 'unknown', trouble: null })
})

test('a voucher that was made stays made, whatever arrives later', () => {
  const made = after(submit(), { type: 'made', key: 'k1', voucher })

  expect(kindOf(changeDesk(made, failed({ status: 0 })))).toBe('made')
})

test('after a reload, a request that was on its way keeps its key, and its outcome is unknown', () => {
  const desk = restoreDesk(JSON.parse(JSON.stringify(after(submit()))), 5000)

  expect(desk.current).toMatchObject({ key: 'k1', request, input, status: { kind: 'unknown', since: 5000 } })
})
