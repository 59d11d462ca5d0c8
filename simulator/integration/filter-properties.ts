import { expiresAtMs, isExpired, type Site, type Voucher } from '../store/voucher.ts'
import type { Properties } from './compile-filter.ts'

const equality = ['eq', 'ne'] as const
const membership = [...equality, 'in', 'notIn'] as const
const pattern = [...membership, 'like'] as const
const order = [...equality, 'gt', 'ge', 'lt', 'le'] as const
const nullableOrder = ['isNull', 'isNotNull', ...order] as const

export const siteProperties: Properties<Site> = {
  id: { type: 'uuid', functions: membership, of: (site) => site.id },
  internalReference: { type: 'string', functions: membership, of: (site) => site.internalReference },
  name: { type: 'string', functions: membership, of: (site) => site.name },
}

/** The documented properties and their functions. `nowMs` decides which vouchers have expired. */
export function voucherProperties(nowMs: number): Properties<Voucher> {
  return {
    id: { type: 'uuid', functions: membership, of: (voucher) => voucher.id },
    createdAt: { type: 'timestamp', functions: order, of: (voucher) => voucher.createdAtMs },
    name: { type: 'string', functions: pattern, of: (voucher) => voucher.name },
    code: { type: 'string', functions: membership, of: (voucher) => voucher.code },
    authorizedGuestLimit: { type: 'integer', functions: nullableOrder, of: (v) => v.authorizedGuestLimit },
    authorizedGuestCount: { type: 'integer', functions: order, of: (voucher) => voucher.devices.size },
    activatedAt: { type: 'timestamp', functions: order, of: (voucher) => voucher.activatedAtMs },
    expiresAt: { type: 'timestamp', functions: order, of: expiresAtMs },
    expired: { type: 'boolean', functions: equality, of: (voucher) => isExpired(voucher, nowMs) },
    timeLimitMinutes: { type: 'integer', functions: order, of: (voucher) => voucher.timeLimitMinutes },
    dataUsageLimitMBytes: { type: 'integer', functions: nullableOrder, of: (v) => v.dataUsageLimitMBytes },
    rxRateLimitKbps: { type: 'integer', functions: nullableOrder, of: (voucher) => voucher.rxRateLimitKbps },
    txRateLimitKbps: { type: 'integer', functions: nullableOrder, of: (voucher) => voucher.txRateLimitKbps },
  }
}
