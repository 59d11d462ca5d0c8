import type { Voucher } from '../../../../client/voucher-api.generated.ts'

/** True if nobody can sign in with the voucher any more. A used voucher may still have time left. */
export function hasEnded({ status }: Pick<Voucher, 'status'>): boolean {
  return status === 'expired' || status === 'revoked'
}

/**
 * True if *Extend…* can help the guest: the voucher has an end that is still to come. The time of an unused voucher without a
 * fixed end has not begun.
 */
export function hasEndToExtend(voucher: Pick<Voucher, 'status' | 'ends_at'>): boolean {
  return !hasEnded(voucher) && voucher.ends_at !== null
}

type WithRoom = Pick<
  Voucher,
  'status' | 'created_at' | 'expire_minutes' | 'used_count' | 'ends_at' | 'valid_until' | 'latest_valid_until'
>

/** Less room comes from rounding, or from a creation that was found some minutes later. Nobody chose it. */
const leastRoomMs = 3_600_000

/**
 * The time until which a stay can certainly be extended; undefined if it has no room. `latest_valid_until` is this time once the guest
 * has signed in. Before that it is counted from now, so it moves every minute, also past the end of a stay without room. A guest who
 * had signed in at the creation would set the earliest limit. This one stays the same.
 */
export function extendableUntil(voucher: WithRoom): Date | undefined {
  const { valid_until, ends_at, latest_valid_until } = voucher
  if (hasEnded(voucher) || valid_until === null || ends_at === null || latest_valid_until === null) return undefined
  const latest = Date.parse(latest_valid_until)
  const fromCreation = Date.parse(voucher.created_at) + voucher.expire_minutes * 60_000
  const until = voucher.used_count > 0 ? latest : Math.min(latest, fromCreation)
  return until - Date.parse(ends_at) >= leastRoomMs ? new Date(until) : undefined
}
