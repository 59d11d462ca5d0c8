import type { Behaviour } from '../behaviour.ts'
import { expiresAtMs, isExpired, type Voucher } from '../store/voucher.ts'
import { classicSiteId } from './site-handlers.ts'

/** A voucher as the classic API shows it; members that are undefined do not appear in JSON. */
export function voucherView(voucher: Voucher, { behaviour, nowMs }: { behaviour: Behaviour; nowMs: number }) {
  const { authorizedGuestLimit = 0, txRateLimitKbps: up, rxRateLimitKbps: down, dataUsageLimitMBytes: bytes } = voucher
  const hasLimits = up !== undefined || down !== undefined || bytes !== undefined
  return {
    _id: voucher.classicId,
    site_id: classicSiteId(voucher.siteId),
    code: voucher.code,
    create_time: voucher.createdAtMs / 1000,
    duration: voucher.timeLimitMinutes,
    quota: authorizedGuestLimit,
    used: voucher.devices.size,
    note: note(voucher, behaviour),
    admin_name: voucher.adminName,
    for_hotspot: false,
    qos_overwrite: hasLimits || (behaviour.qosOverwriteFalse ? false : undefined),
    qos_rate_max_up: up,
    qos_rate_max_down: down,
    qos_usage_quota: behaviour.stringQuota && bytes !== undefined ? String(bytes) : bytes,
    status: status(voucher, nowMs),
    ...times(voucher, nowMs),
  }
}

function note({ name }: Voucher, { nullNotes, emptyNotes }: Behaviour): string | null | undefined {
  if (nullNotes === 'absent') return undefined
  if (name === '' && emptyNotes !== 'empty') return emptyNotes === 'null' ? null : undefined
  return nullNotes ? null : name
}

function status(voucher: Voucher, nowMs: number): string {
  if (isExpired(voucher, nowMs)) return 'EXPIRED'
  if (voucher.devices.size > 0) return 'USED_MULTIPLE'
  return voucher.authorizedGuestLimit === 1 ? 'VALID_ONE' : 'VALID_MULTI'
}

/** `status_expires` is a duration in seconds, and 0 before the first use. */
function times(voucher: Voucher, nowMs: number) {
  const endMs = expiresAtMs(voucher)
  if (voucher.activatedAtMs === undefined || endMs === undefined) return { status_expires: 0 }
  const secondsLeft = Math.max(0, Math.ceil((endMs - nowMs) / 1000))
  return { start_time: voucher.activatedAtMs / 1000, end_time: endMs / 1000, status_expires: secondsLeft }
}
