import { expiresAtMs, isExpired, type Voucher } from '../store/voucher.ts'

/** A voucher as the API shows it; members that are undefined do not appear in JSON. */
export function voucherView(voucher: Voucher, nowMs: number) {
  return {
    id: voucher.id,
    createdAt: timestamp(voucher.createdAtMs),
    name: voucher.name,
    code: voucher.code,
    authorizedGuestLimit: voucher.authorizedGuestLimit,
    authorizedGuestCount: voucher.devices.size,
    activatedAt: timestamp(voucher.activatedAtMs),
    expiresAt: timestamp(expiresAtMs(voucher)),
    expired: isExpired(voucher, nowMs),
    timeLimitMinutes: voucher.timeLimitMinutes,
    dataUsageLimitMBytes: voucher.dataUsageLimitMBytes,
    rxRateLimitKbps: voucher.rxRateLimitKbps,
    txRateLimitKbps: voucher.txRateLimitKbps,
  }
}

function timestamp(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}
