import type { Voucher } from '../../../../client/voucher-api.generated.ts'

/** True if nobody can sign in with the voucher any more. A used voucher may still have time left. */
export function hasEnded({ status }: Pick<Voucher, 'status'>): boolean {
  return status === 'expired' || status === 'revoked'
}

/** The present end of the voucher. A voucher without an end has the end that it would have if it were used now. */
export function presentEnd(voucher: Pick<Voucher, 'ends_at' | 'expire_minutes'>, now: number): Date {
  return new Date(voucher.ends_at ?? now + voucher.expire_minutes * 60_000)
}

type Limits = Pick<Voucher, 'valid_until' | 'latest_valid_until' | 'expire_minutes' | 'expires_at'>

/**
 * The latest possible end of the voucher; null if there is no limit. Minutes cannot be added to a voucher, so a voucher
 * without `valid_until` works for its minutes at most.
 */
export function latestEnd(voucher: Limits, now: number): Date | null {
  if (voucher.latest_valid_until) return new Date(voucher.latest_valid_until)
  if (voucher.expires_at) return new Date(voucher.expires_at)
  return voucher.valid_until ? null : new Date(now + voucher.expire_minutes * 60_000)
}
