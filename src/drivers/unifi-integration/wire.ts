import { ControllerError, type ControllerVoucher, type SeenVoucher, type VoucherShape } from '../driver.ts'
import {
  allKnown,
  code,
  format,
  id,
  integer,
  type Json,
  listOf,
  name,
  objectOf,
  unreadable,
  withCode,
} from '../read-reply.ts'

/** Limits that are off are left out: the API refuses zeros. Rates are named as the guest sees them: rx is download. */
export function toWire(shape: VoucherShape, count: number): Json {
  return {
    count,
    name: shape.name,
    timeLimitMinutes: shape.expireMinutes,
    ...(shape.maxUses > 0 && { authorizedGuestLimit: shape.maxUses }),
    ...(shape.downKbps > 0 && { rxRateLimitKbps: shape.downKbps }),
    ...(shape.upKbps > 0 && { txRateLimitKbps: shape.upKbps }),
    ...(shape.quotaMb > 0 && { dataUsageLimitMBytes: shape.quotaMb }),
  }
}

export function madeFromWire(reply: unknown, clockAheadMs: number): ControllerVoucher[] {
  return withCode(seen(listOf(objectOf(reply)['vouchers']), clockAheadMs))
}

export type Page = { vouchers: SeenVoucher[]; totalCount: number }

export function pageFromWire(reply: unknown, clockAheadMs: number): Page {
  const page = objectOf(reply)
  const totalCount = integer(page['totalCount'])
  if (totalCount === undefined) throw unreadable('a page without a total')
  const data = listOf(page['data'])
  const vouchers = seen(data, clockAheadMs)
  if (vouchers.length < data.length) throw unreadable('a voucher that is no object')
  return { vouchers: allKnown(vouchers), totalCount }
}

/** A reference is unique, a name need not be. */
export function siteFromWire(reply: unknown, wanted: string): string {
  const sites = listOf(objectOf(reply)['data']).map(objectOf)
  const byReference = sites.filter((site) => site['internalReference'] === wanted)
  const [found, another] = byReference.length > 0 ? byReference : sites.filter((site) => site['name'] === wanted)
  const siteId = id(found?.['id'])
  if (siteId === null)
    throw new ControllerError(
      'missing',
      'refused',
      `Site "${wanted}" was not found on the controller, or this API key cannot see it`,
    )
  if (another)
    throw new ControllerError('missing', 'refused', `Several sites are called "${wanted}": use the reference`)
  return siteId
}

export function versionFromWire(reply: unknown): string {
  return name(objectOf(reply)['applicationVersion'])
}

function seen(items: unknown[], clockAheadMs: number): SeenVoucher[] {
  return items.flatMap((item) =>
    typeof item === 'object' && item !== null ? [voucherFromWire(item as Json, clockAheadMs)] : [],
  )
}

function voucherFromWire(voucher: Json, clockAheadMs: number): SeenVoucher {
  return {
    id: id(voucher['id']),
    code: code(voucher['code']),
    formattedCode: format(code(voucher['code'])),
    shape: {
      name: name(voucher['name']),
      maxUses: integer(voucher['authorizedGuestLimit']) ?? 0,
      expireMinutes: integer(voucher['timeLimitMinutes']) ?? 0,
      downKbps: integer(voucher['rxRateLimitKbps']) ?? 0,
      upKbps: integer(voucher['txRateLimitKbps']) ?? 0,
      quotaMb: integer(voucher['dataUsageLimitMBytes']) ?? 0,
    },
    usedCount: integer(voucher['authorizedGuestCount']) ?? 0,
    createdAt: time(voucher['createdAt'], clockAheadMs),
    stampedAt: time(voucher['createdAt'], 0),
    firstUsedAt: time(voucher['activatedAt'], clockAheadMs),
    expiresAt: time(voucher['expiresAt'], clockAheadMs),
    expired: voucher['expired'] === true,
    isOurs: null,
  }
}

function time(value: unknown, clockAheadMs: number): Date | null {
  const at = new Date(Date.parse(typeof value === 'string' ? value : '') - clockAheadMs)
  return at.getTime() >= 0 && at.getFullYear() < 10_000 ? at : null
}
