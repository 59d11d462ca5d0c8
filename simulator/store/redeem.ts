import { isExpired, type Voucher } from './voucher.ts'
import { type VoucherStore, wholeSecond } from './voucher-store.ts'

export type Redemption = { voucher: Voucher } | { reason: 'unknown' | 'expired' | 'full' }

/** A guest types a code in the portal. A device that is already in comes in again without being counted twice. */
export function redeem(store: VoucherStore, guest: { siteIds: string[]; code: string; mac: string }): Redemption {
  const voucher = guest.siteIds.map((siteId) => store.findByCode(siteId, guest.code)).find((found) => found)
  if (!voucher) return { reason: 'unknown' }
  const now = store.clock.now()
  if (isExpired(voucher, now)) return { reason: 'expired' }

  const { devices, authorizedGuestLimit: limit } = voucher
  if (!devices.has(guest.mac) && limit !== undefined && devices.size >= limit) return { reason: 'full' }
  devices.add(guest.mac)
  voucher.activatedAtMs ??= wholeSecond(now)
  return { voucher }
}
