import type { Revocation, Voucher } from '../../../../client/voucher-api.generated.ts'
import type { ApiError } from '../../api.ts'
import { hasFields } from '../../stored-value.ts'

/** The revocation of a voucher that was wrong. */
export type Undo = {
  /** The Idempotency-Key. Every repeat has the same one, so one press is one revocation. */
  key: string
  voucher: Voucher
  /** When the request was first sent, in milliseconds. */
  startedAt: number
  /**
   * `sending`: the service has not answered. `lost`: it could not tell, and the request is sent again. `accepted`: the service
   * revokes the voucher as soon as the controller answers. Only `revoked` says that nobody can sign in with the code.
   */
  status: (typeof statuses)[number]
}

const statuses = ['sending', 'lost', 'accepted', 'revoked', 'failed'] as const

/** Whether it is still unknown if the code works. */
export function isOpen({ status }: Undo): boolean {
  return status !== 'revoked' && status !== 'failed'
}

/** Whether a stored value is an undo. */
export function isUndo(value: unknown): value is Undo {
  return (
    hasFields(value, { key: 'string', voucher: 'object', startedAt: 'number', status: 'string' }) &&
    statuses.includes((value as Undo).status)
  )
}

/** A voucher whose time was over needs no revocation, but its code does not work either. */
export function statusOfRevocation({ state, failed, kept }: Revocation): Undo['status'] {
  if (state !== 'done') return 'accepted'
  return failed + kept > 0 ? 'failed' : 'revoked'
}

/** The status after a request that failed. Only the rejection of a request that was not accepted before is final. */
export function statusAfterFailure({ status, error }: ApiError, before: Undo['status']): Undo['status'] {
  if (before === 'accepted' || [401, 409, 429].includes(status)) return before
  return status === 0 || status >= 500 || error === 'unexpected_answer' ? 'lost' : 'failed'
}
