import { ControllerError, type ControllerVoucher, type SeenVoucher, type VoucherShape } from '../driver.ts'
import {
  codesOf,
  idOf,
  integerOf,
  type Json,
  listOf,
  objectOf,
  requireIdOrCode,
  textOf,
  unreadable,
  withCode,
} from '../http-base/http-client.ts'

/** The body of a creation. It leaves out limits that are off, because the API rejects zeros. `rx` is the guest's download. */
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

export function createdFromWire(reply: unknown, clockAheadMs: number): ControllerVoucher[] {
  return withCode(vouchersFromWire(listOf(objectOf(reply)['vouchers']), clockAheadMs))
}

export type Page = { vouchers: SeenVoucher[]; totalCount: number }

export function pageFromWire(reply: unknown, clockAheadMs: number): Page {
  const page = objectOf(reply)
  const totalCount = integerOf(page['totalCount'])
  if (totalCount === undefined) throw unreadable('a page without a total')
  const data = listOf(page['data'])
  const vouchers = vouchersFromWire(data, clockAheadMs)
  if (vouchers.length < data.length) throw unreadable('a voucher that is no object')
  return { vouchers: requireIdOrCode(vouchers), totalCount }
}

/** The id of the site with this reference or name. References are unique, names may not be. */
export function siteIdFromWire(reply: unknown, wanted: string): string {
  const sites = listOf(objectOf(reply)['data']).map(objectOf)
  const byReference = sites.filter((site) => site['internalReference'] === wanted)
  const [found, another] = byReference.length > 0 ? byReference : sites.filter((site) => site['name'] === wanted)
  const siteId = idOf(found?.['id'])
  if (siteId === null)
    throw new ControllerError(
      'missing',
      'refused',
      `Site "${wanted}" was not found on the controller, or this API key cannot see it`,
    )
  if (another)
    throw new ControllerError(
      'missing',
      'refused',
      `"${wanted}" is the name of several sites, not a controller_site that \`voucher-service controllers sites\` lists`,
    )
  return siteId
}

/** `reference` is empty if the controller shows none. */
export type SiteOfPage = { id: string; reference: string; name: string }

export function sitePageFromWire(reply: unknown): { data: SiteOfPage[]; totalCount: number } {
  const page = objectOf(reply)
  const data = listOf(page['data']).map((item) => {
    const site = objectOf(item)
    const id = idOf(site['id'])
    if (id === null) throw unreadable('a site without an id')
    return { id, reference: textOf(site['internalReference']), name: textOf(site['name']) }
  })
  return { data, totalCount: integerOf(page['totalCount']) ?? data.length }
}

export function versionFromWire(reply: unknown): string {
  return textOf(objectOf(reply)['applicationVersion'])
}

function vouchersFromWire(items: unknown[], clockAheadMs: number): SeenVoucher[] {
  return items.flatMap((item) =>
    typeof item === 'object' && item !== null ? [voucherFromWire(item as Json, clockAheadMs)] : [],
  )
}

function voucherFromWire(voucher: Json, clockAheadMs: number): SeenVoucher {
  return {
    id: idOf(voucher['id']),
    ...codesOf(voucher['code']),
    shape: {
      name: textOf(voucher['name']),
      maxUses: integerOf(voucher['authorizedGuestLimit']) ?? 0,
      expireMinutes: integerOf(voucher['timeLimitMinutes']) ?? 0,
      downKbps: integerOf(voucher['rxRateLimitKbps']) ?? 0,
      upKbps: integerOf(voucher['txRateLimitKbps']) ?? 0,
      quotaMb: integerOf(voucher['dataUsageLimitMBytes']) ?? 0,
    },
    usedCount: integerOf(voucher['authorizedGuestCount']) ?? 0,
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
