import { ControllerError, type ControllerVoucher, type VoucherShape } from '../driver.ts'

type Json = Record<string, unknown>

/** Limits that are off are left out: the API refuses zeros. Rates are named as the guest sees them: rx is download. */
export function toWire(shape: VoucherShape, count: number): Json {
  return {
    count,
    name: shape.name,
    timeLimitMinutes: shape.expireMinutes,
    authorizedGuestLimit: shape.maxUses,
    ...(shape.downKbps > 0 && { rxRateLimitKbps: shape.downKbps }),
    ...(shape.upKbps > 0 && { txRateLimitKbps: shape.upKbps }),
    ...(shape.quotaMb > 0 && { dataUsageLimitMBytes: shape.quotaMb }),
  }
}

export function vouchersFromWire(reply: unknown): ControllerVoucher[] {
  return usable(listOf(objectOf(reply)['vouchers']))
}

export function pageFromWire(reply: unknown): { vouchers: ControllerVoucher[]; count: number; totalCount: number } {
  const page = objectOf(reply)
  const data = listOf(page['data'])
  return { vouchers: usable(data), count: data.length, totalCount: integer(page['totalCount']) ?? 0 }
}

export function siteFromWire(reply: unknown, reference: string): string {
  const id = objectOf(listOf(objectOf(reply)['data'])[0] ?? {})['id']
  if (typeof id === 'string' && id !== '') return id
  throw new ControllerError('missing', 'refused', `The controller has no site "${reference}" for this key`)
}

export function deletedFromWire(reply: unknown): number {
  return integer(objectOf(reply)['vouchersDeleted']) ?? 0
}

/** A voucher is usable with a code alone; one without is not, and must not spoil the others. */
function usable(items: unknown[]): ControllerVoucher[] {
  return items.map(voucherFromWire).filter((voucher) => voucher !== undefined)
}

function voucherFromWire(item: unknown): ControllerVoucher | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const voucher = item as Json
  const { id, code, name } = voucher
  if (typeof code !== 'string' || !/^[0-9A-Za-z]{4,32}$/.test(code)) return undefined
  return {
    id: typeof id === 'string' && /^[\x21-\x7e]{1,100}$/.test(id) ? id : null,
    code,
    formattedCode: format(code),
    shape: {
      name: typeof name === 'string' ? name.slice(0, 1_000) : '',
      maxUses: integer(voucher['authorizedGuestLimit']) ?? 0,
      expireMinutes: integer(voucher['timeLimitMinutes']) ?? 0,
      downKbps: integer(voucher['rxRateLimitKbps']) ?? 0,
      upKbps: integer(voucher['txRateLimitKbps']) ?? 0,
      quotaMb: integer(voucher['dataUsageLimitMBytes']) ?? 0,
    },
    usedCount: integer(voucher['authorizedGuestCount']) ?? 0,
    createdAt: time(voucher['createdAt']),
    firstUsedAt: time(voucher['activatedAt']),
    expiresAt: time(voucher['expiresAt']),
    expired: voucher['expired'] === true,
  }
}

/** `4861409510` is printed as `48614-09510`. */
function format(code: string): string {
  return code.length === 10 ? `${code.slice(0, 5)}-${code.slice(5)}` : code
}

function objectOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new ControllerError('no_voucher', 'unknown', 'The reply is no object')
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new ControllerError('no_voucher', 'unknown', 'The reply holds no list')
}

function integer(value: unknown): number | undefined {
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647
  return fits ? value : undefined
}

function time(value: unknown): Date | null {
  const at = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}
