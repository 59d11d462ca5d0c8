import { expect, test } from 'vitest'
import type { Aftermath, Attempt } from './checker.ts'
import { check, maxEndSeconds } from './checker.ts'

const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  op: 1,
  kind: 'create',
  site: 1,
  name: 'Gast',
  idempotencyKey: 'k1',
  startedAt: 0,
  endedAt: 1,
  status: 201,
  code: '111',
  ...change,
})
const voucher = { siteId: 1, id: 'v1', code: '111', status: 'valid', creationId: 'c1', batchId: null }
const onController = { code: '111', name: '2026-11-15_Gast', isOurs: true }
const aftermath = (change: Partial<Aftermath> = {}): Aftermath => ({
  recorded: [voucher],
  openRevocations: new Set(),
  onControllers: new Map([[1, [onController]]]),
  deletedOfOthers: [],
  reported: new Map(),
  notified: new Set(['v1']),
  unsettled: 0,
  batches: new Map([['b1', { finished: true, size: 2, made: 0, failed: 2 }]]),
  askedNames: new Set(['2026-11-15_Gast']),
  ...change,
})
const stay = { op: 9, site: 1, name: 'Stay', revocation: 'r9' }
const limited = { limit: 2, windows: 1, storeLosses: 0 }

test('a run that kept every promise has no findings', () => {
  const repeated = [
    attempt({ status: 'unknown', code: undefined }),
    attempt(),
    attempt({ kind: 'list', status: 200, listed: true }),
  ]

  expect(check({ history: repeated, batches: ['b1'], stays: [stay] }, aftermath(), limited)).toEqual([])
})

test.each<[string, Attempt[], Partial<Aftermath>, RegExp]>([
  ['a 201 that is not recorded', [attempt({ code: '222' })], {}, /not recorded/],
  ['a list without the voucher', [attempt({ kind: 'list', status: 200, listed: false })], {}, /missing in a list/],
  [
    'an orphan',
    [attempt()],
    { onControllers: new Map([[1, [onController, { ...onController, code: '333' }]]]) },
    /333 is an orphan/,
  ],
  [
    'a second orphan where one is reported',
    [attempt()],
    {
      onControllers: new Map([[1, ['111', '333', '444'].map((code) => ({ ...onController, code }))]]),
      reported: new Map([[1, 1]]),
    },
    /^site 1: 444 is an orphan on its controller$/,
  ],
  ['a deleted voucher of others', [attempt()], { deletedOfOthers: ['555'] }, /555 was made by others and is deleted/],
  [
    'a voucher that a revocation left',
    [attempt()],
    {
      recorded: [voucher, { ...voucher, code: '666', id: 'v6', creationId: null }],
      onControllers: new Map([[1, [onController, { code: '666', name: '2026-11-15_Stay', isOurs: true }]]]),
    },
    /op 9: its revocation is done, but 666/,
  ],
  [
    'a revocation that does not end',
    [attempt()],
    { openRevocations: new Set(['r9']) },
    /op 9: its revocation has not ended/,
  ],
  [
    'a recorded voucher that is not on its controller',
    [attempt()],
    { onControllers: new Map([[1, []]]) },
    /not on its controller/,
  ],
  [
    'a code recorded twice',
    [attempt()],
    { recorded: [voucher, { ...voucher, id: 'v2', creationId: 'c2' }], notified: new Set(['v1', 'v2']) },
    /recorded twice/,
  ],
  ['a missing notification', [attempt()], { notified: new Set() }, /no notification/],
  [
    'a request over the limit',
    [1, 2, 3].map((op) => attempt({ op, kind: 'limited', status: 200 })),
    {},
    /3 requests .* 2 are allowed/,
  ],
  ['a 201 without the right', [attempt({ kind: 'forbidden' })], {}, /without the right/],
  ['two codes for one key', [attempt(), attempt({ code: '222' })], {}, /answered with two codes/],
  ['one code for two requests', [attempt(), attempt({ op: 2, idempotencyKey: 'k2' })], {}, /given to two requests/],
  [
    'two vouchers of one creation',
    [attempt()],
    { recorded: [voucher, { ...voucher, code: '444', id: 'v2' }] },
    /has two vouchers/,
  ],
  ['a controller call for a rejected request', [attempt({ kind: 'invalid', status: 400 })], {}, /reached a controller/],
  ['a batch that is lost', [attempt()], { batches: new Map() }, /accepted and is not there/],
  [
    'a batch that goes on for ever, with too few rows and too many vouchers',
    [attempt()],
    {
      recorded: [{ ...voucher, batchId: 'b1' }],
      batches: new Map([['b1', { finished: false, size: 3, made: 0, failed: 2 }]]),
    },
    /not ended\n.*0 made and 2 failed of 3\n.*0 are said to be made, 1 are recorded/,
  ],
  ['an open creation', [attempt()], { unsettled: 3 }, /3 creations are still open/],
])('%s is noticed', (_, history, change, words) => {
  expect(check({ history, batches: ['b1'], stays: [stay] }, aftermath(change), limited).join('\n')).toMatch(words)
})

test.each<[string, { dueAt?: number; goneAt?: number }, RegExp]>([
  [
    'an end that was carried out too late',
    { dueAt: 0, goneAt: (maxEndSeconds + 1) * 1_000 },
    /was deleted \d+ s later/,
  ],
  ['an end that was never carried out', { dueAt: 0 }, /is still on the controller/],
  ['a stay that did not end', {}, /was never ended/],
])('it notices %s', (_, { dueAt, goneAt }, words) => {
  const ends = [{ id: 's1', code: '444', dueAt, goneAt }]

  expect(check({ history: [attempt()], batches: [], stays: [], ends }, aftermath(), limited)).toEqual([
    expect.stringMatching(words),
  ])
})
