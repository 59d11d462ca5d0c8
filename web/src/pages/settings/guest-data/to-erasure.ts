import type { FoundGuest, GuestErasure } from '../../../../../client/voucher-api.generated.ts'

export type ErasureChoice = { reason: '' | GuestErasure['reason']; valid: '' | GuestErasure['valid'] }

/**
 * The request for an erasure. If nobody was asked about vouchers that still work, the service rejects the erasure of guests who have
 * one by now. Then the dialog asks.
 */
export function toErasure(
  guests: Pick<FoundGuest, 'site_id' | 'name'>[],
  { reason, valid }: ErasureChoice,
): GuestErasure {
  return {
    guests: guests.map(({ site_id, name }) => ({ site_id, name })),
    reason: reason || 'other',
    valid: valid || 'refuse',
  }
}
