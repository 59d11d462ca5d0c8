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
  return listOf(objectOf(reply)['vouchers']).map(voucherFromWire)
}

export function pageFromWire(reply: unknown): { vouchers: ControllerVoucher[]; count: number; totalCount: number } {
  const page = objectOf(reply)
  const data = listOf(page['data'])
  return { vouchers: data.map(voucherFromWire), count: data.length, totalCount: integerOf(page['totalCount']) }
}

export function siteFromWire(reply: unknown, reference: string): string {
  const [site] = listOf(objectOf(reply)['data'])
  if (site === undefined) {
    throw new ControllerError('rejected', 'refused', `The controller has no site "${reference}" for this key`)
  }
  return textOf(objectOf(site)['id'])
}

export function deletedFromWire(reply: unknown): number {
  return integerOf(objectOf(reply)['vouchersDeleted'])
}

function voucherFromWire(item: unknown): ControllerVoucher {
  const voucher = objectOf(item)
  const code = codeOf(voucher['code'])
  return {
    id: textOf(voucher['id']),
    code,
    formattedCode: format(code),
    shape: {
      name: textOf(voucher['name']),
      maxUses: integerOf(voucher['authorizedGuestLimit'] ?? 0),
      expireMinutes: integerOf(voucher['timeLimitMinutes']),
      downKbps: integerOf(voucher['rxRateLimitKbps'] ?? 0),
      upKbps: integerOf(voucher['txRateLimitKbps'] ?? 0),
      quotaMb: integerOf(voucher['dataUsageLimitMBytes'] ?? 0),
    },
    usedCount: integerOf(voucher['authorizedGuestCount']),
    createdAt: timeOf(voucher['createdAt']),
    firstUsedAt: voucher['activatedAt'] === undefined ? null : timeOf(voucher['activatedAt']),
    expiresAt: voucher['expiresAt'] === undefined ? null : timeOf(voucher['expiresAt']),
    expired: voucher['expired'] === true,
  }
}

/** `4861409510` is printed as `48614-09510`. */
function format(code: string): string {
  return code.length === 10 ? `${code.slice(0, 5)}-${code.slice(5)}` : code
}

function unusable(what: string): ControllerError {
  return new ControllerError('no_voucher', 'unknown', `The reply holds no usable ${what}`)
}

function codeOf(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9A-Za-z]{4,32}$/.test(value)) throw unusable('code')
  return value
}

function objectOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable('object')
  return value as Json
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unusable('list')
  return value
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > 1_000) throw unusable('text')
  return value
}

function integerOf(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > 2_147_483_647)
    throw unusable('number')
  return value as number
}

function timeOf(value: unknown): Date {
  const time = new Date(typeof value === 'string' ? value : Number.NaN)
  if (Number.isNaN(time.getTime())) throw unusable('time')
  return time
}
