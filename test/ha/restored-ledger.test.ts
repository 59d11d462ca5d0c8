import { expect, test } from 'vitest'
import { checkAccepted, checkListed, checkRecord, type Ledger } from './restored-ledger.ts'

const voucher = (code: number, startedAt: number, endedAt = startedAt + 1) => ({
  ...{ voucher: `1 ${code}`, siteId: 1, name: `Guest ${code}`, startedAt, endedAt },
})
/** The target is 100. Voucher 2 was under way then, and is not in the record. */
const good: Ledger = {
  target: 100,
  acknowledged: [voucher(1, 10), voucher(2, 99, 101), voucher(3, 110)],
  revoked: [
    { voucher: '1 4', askedAt: 20, doneAt: 30 },
    { voucher: '1 5', askedAt: 120, doneAt: 130 },
  ],
  restored: [
    { voucher: '1 1', status: 'valid' },
    { voucher: '1 4', status: 'revoked' },
  ],
  listed: ['1 3'],
  onlyOnControllers: ['1 2', '1 3'],
  accepted: new Map([
    ['sent before', [50]],
    ['waiting', [110, 200]],
  ]),
}
const check = (ledger: Ledger) => [...checkRecord(ledger), ...checkListed(ledger), ...checkAccepted(ledger)]
const [first, revoked] = good.restored as [Ledger['restored'][0], Ledger['restored'][0]]

test('a restore that kept every promise has no findings', () => {
  expect(check(good)).toEqual([])
})

test('a voucher with the name of a creation that was under way may be left out by `reconcile`', () => {
  const sameName = { ...voucher(3, 110), name: 'Guest 2' }
  const acknowledged = [voucher(1, 10), voucher(2, 99, 101), sameName]

  expect(check({ ...good, acknowledged, listed: [] })).toEqual([])
})

test.each<[string, Partial<Ledger>, string]>([
  ['a voucher from before the target is missing', { restored: [revoked] }, '1 1 from before the target is missing'],
  [
    'a voucher from after the target is there',
    { restored: [...good.restored, { voucher: '1 3', status: 'valid' }] },
    '1 3 from after the target is recorded',
  ],
  ['a voucher is there twice', { restored: [...good.restored, first] }, '1 1 is recorded twice'],
  [
    'a revocation before the target is undone',
    { restored: [first, { ...revoked, status: 'valid' }] },
    '1 4 was revoked before the target, and is valid',
  ],
  ['a revoked voucher is missing', { restored: [first] }, '1 4 was revoked before the target, and is undefined'],
  [
    'a voucher that was revoked after the target is there',
    { restored: [...good.restored, { voucher: '1 5', status: 'revoked' }] },
    '1 5 was revoked after the target, and is revoked',
  ],
  ['a lost voucher is not listed', { listed: [] }, '1 3 is not listed'],
  [
    'a lost voucher is not listed, and nobody found it on a controller',
    { listed: [], onlyOnControllers: ['1 2'] },
    '1 3 is not listed',
  ],
  [
    'a voucher that no client was given is not listed',
    { onlyOnControllers: ['1 2', '1 3', '1 9'] },
    '1 9 is not listed',
  ],
  [
    'a recorded voucher is listed',
    { listed: ['1 1', '1 3'] },
    '1 1 is listed, although it is recorded or on no controller',
  ],
  ['a voucher is listed twice', { listed: ['1 3', '1 3'] }, '1 3 is listed twice'],
  [
    'a notification from before the target is sent again',
    { accepted: new Map([['a', [50, 200]]]) },
    'a was sent before the target, and again',
  ],
  ['a notification is sent three times', { accepted: new Map([['a', [110, 200, 210]]]) }, 'a was sent 3 times'],
])('the checks notice that %s', (_, fault, finding) => {
  expect(check({ ...good, ...fault })).toEqual([finding])
})
