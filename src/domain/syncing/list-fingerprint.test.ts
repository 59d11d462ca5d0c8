import { expect, test } from 'vitest'
import type { SeenVoucher } from '#drivers/driver.ts'
import { fingerprintOf } from './list-fingerprint.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 18, 10, 0, seconds))

const voucher: Required<SeenVoucher> = {
  id: 'a1',
  code: '4861409510',
  formattedCode: '48614-09510',
  shape: { name: '2026-11-18_Gast', maxUses: 1, expireMinutes: 60, downKbps: 1000, upKbps: 500, quotaMb: 100 },
  usedCount: 1,
  createdAt: at(0),
  stampedAt: at(7),
  firstUsedAt: at(20),
  expiresAt: at(50),
  expired: false,
  isOurs: true,
  madeBy: 'the user name',
}
const other: SeenVoucher = { ...voucher, id: 'b2', code: '1111122222' }

const of = (seen: SeenVoucher[], adopts = false) => fingerprintOf(seen, { adopts }).toString('hex')
const changed = (change: Partial<SeenVoucher>) => of([{ ...voucher, ...change }, other])
const before = of([voucher, other])

/** A change for each field that the comparison reads. The type requires a line for each new field of a voucher. */
const changes: Record<Exclude<keyof SeenVoucher, 'shape' | 'formattedCode' | 'madeBy'>, Partial<SeenVoucher>> = {
  id: { id: 'a2' },
  code: { code: '4861409511' },
  usedCount: { usedCount: 2 },
  createdAt: { createdAt: at(1) },
  stampedAt: { stampedAt: at(8) },
  firstUsedAt: { firstUsedAt: at(21) },
  expiresAt: { expiresAt: at(51) },
  expired: { expired: true },
  isOurs: { isOurs: false },
}
const limits: Record<keyof SeenVoucher['shape'], Partial<SeenVoucher['shape']>> = {
  name: { name: '2026-11-18_Gast 2' },
  maxUses: { maxUses: 2 },
  expireMinutes: { expireMinutes: 61 },
  downKbps: { downKbps: 1001 },
  upKbps: { upKbps: 501 },
  quotaMb: { quotaMb: 101 },
}

test.each(Object.entries(changes))('a change of %s changes the fingerprint', (_, change) => {
  expect(changed(change)).not.toBe(before)
})

test.each(Object.entries(limits))('a change of shape.%s changes the fingerprint', (_, change) => {
  expect(changed({ shape: { ...voucher.shape, ...change } })).not.toBe(before)
})

test.each(['id', 'code', 'stampedAt', 'firstUsedAt', 'expiresAt', 'isOurs'] as const)(
  'a value of %s that disappears changes the fingerprint',
  (field) => {
    expect(changed({ [field]: null })).not.toBe(before)
  },
)

test('another voucher, one less, none, and the setting of the site change the fingerprint', () => {
  const all = [before, of([voucher]), of([]), of([voucher, other, other]), of([voucher, other], true)]

  expect(new Set(all).size).toBe(all.length)
})

test('the order of the list, the written code and the name of the administrator do not change it', () => {
  expect(of([other, voucher])).toBe(before)
  expect(changed({ formattedCode: '4861 409510' })).toBe(before)
  expect(changed({ madeBy: 'unknown' })).toBe(before)
})

test('a corrected clock of the controller, which moves all converted times, does not change it', () => {
  const moved = (time: Date | null) => time && new Date(time.getTime() + 312)
  const corrected = { createdAt: moved(at(0)), firstUsedAt: moved(at(20)), expiresAt: moved(at(50)) }

  expect(changed(corrected)).toBe(before)
})
