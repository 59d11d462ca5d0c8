import type { SeenVoucher, VoucherShape } from '../driver.ts'

/** A behaviour of the controller that the driver depends on or tolerates. It contains no text from a reply. */
export type Observation = { observation: string; value: string | number | boolean }

export function observeList(vouchers: SeenVoucher[]): Observation[] {
  const count = (matches: (voucher: SeenVoucher) => boolean) => vouchers.filter(matches).length
  return [
    { observation: 'vouchers in the list', value: vouchers.length },
    { observation: 'order of the list', value: orderOf(vouchers) },
    { observation: 'without an id', value: count(({ id }) => id === null) },
    { observation: 'without a code', value: count(({ code }) => code === null) },
    { observation: 'without a time of creation', value: count(({ createdAt }) => createdAt === null) },
    { observation: 'without a name', value: count(({ shape }) => shape.name === '') },
  ]
}

const limits: Record<keyof VoucherShape, string> = {
  name: 'name',
  maxUses: 'uses',
  expireMinutes: 'minutes',
  downKbps: 'download',
  upKbps: 'upload',
  quotaMb: 'data',
}

export function observeVoucher(voucher: SeenVoucher, sent: VoucherShape): Observation[] {
  const members = Object.keys(limits) as (keyof VoucherShape)[]
  return [
    ...members.map((member) => ({
      observation: `${limits[member]} as sent`,
      value: voucher.shape[member] === sent[member],
    })),
    { observation: 'has an id', value: voucher.id !== null },
    { observation: 'code of ten digits', value: /^\d{10}$/.test(voucher.code ?? '') },
    { observation: 'unused, without first use and end', value: isFresh(voucher) },
    { observation: 'clock ahead of ours by seconds', value: secondsAhead(voucher) },
    ...(voucher.madeBy ? [{ observation: 'name of the administrator in it', value: voucher.madeBy }] : []),
  ]
}

function orderOf(vouchers: SeenVoucher[]): string {
  const times = vouchers.flatMap(({ createdAt }) => (createdAt ? [createdAt.getTime()] : []))
  if (new Set(times).size < 2) return 'too few to tell'
  const isSorted = (sign: 1 | -1) => times.every((time, i) => i === 0 || sign * (time - (times[i - 1] ?? 0)) >= 0)
  if (isSorted(1)) return 'oldest first'
  return isSorted(-1) ? 'newest first' : 'none'
}

function isFresh({ usedCount, firstUsedAt, expiresAt, expired }: SeenVoucher): boolean {
  return usedCount === 0 && firstUsedAt === null && expiresAt === null && !expired
}

function secondsAhead({ stampedAt }: SeenVoucher): number | string {
  return stampedAt === null ? 'unknown' : Math.round((stampedAt.getTime() - Date.now()) / 1_000)
}
