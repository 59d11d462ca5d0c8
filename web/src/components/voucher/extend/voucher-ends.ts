import { useMutation, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useRef } from 'react'
import type { ProposedEnd, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { randomKey } from '../../../api.ts'
import { freshUseQuery, moveVoucherEnd, voucherEndsQuery } from '../../../queries/vouchers.ts'
import type { WallTime } from '../zoned-time.ts'

/** The numbers of days that the dialog proposes, counted from the present end. */
export const proposedDays = [1, 2, 7] as const

/**
 * The ends that the service computes for a voucher: those after the proposed days, and the one at a chosen date. Days are
 * calendar days in the time zone of the site.
 */
export function useVoucherEnds(id: string, until: WallTime | undefined) {
  const { data, error, isPlaceholderData, refetch } = useQuery(
    voucherEndsQuery(id, [...proposedDays], until?.slice(0, 16).replace(' ', 'T')),
  )
  const hasEnd = data !== undefined && data.ends_at !== null
  return {
    data,
    error: data ? null : error,
    refetch,
    /** In the order of `proposedDays`. Empty if the voucher has no end. */
    ofDays: hasEnd ? data.ends.slice(0, proposedDays.length) : [],
    /** Undefined until the service has answered for this date. */
    ofDate: until === undefined || isPlaceholderData ? undefined : data?.ends.at(-1),
  }
}

/**
 * Asks the controller once whether the guest has signed in since the last sync, because the first use decides how long the code can
 * work. The answer is undefined until it is known, and false if the controller did not answer.
 */
export function useFreshUse(voucher: Voucher): boolean | undefined {
  const { data, isError } = useQuery(freshUseQuery(voucher))
  return isError ? false : data
}

/** "two days longer", "one week earlier"; empty if the times of day differ. */
export function distanceWords(t: TFunction, { days, direction }: ProposedEnd): string {
  if (days === null || direction === null) return ''
  const count = Math.abs(days)
  const isLater = direction === 'later'
  if (count === 1) return t(isLater ? 'extend.longer-1' : 'extend.earlier-1')
  if (count === 2) return t(isLater ? 'extend.longer-2' : 'extend.earlier-2')
  if (count === 7) return t(isLater ? 'extend.longer-7' : 'extend.earlier-7')
  return t(isLater ? 'extend.longer' : 'extend.earlier', { count })
}

/**
 * Moves the end of a voucher, but only in this direction: the service rejects the change if somebody else has moved the end past
 * the new one meanwhile. A repeat after a lost answer has the same Idempotency-Key.
 */
export function useMovedEnd({ id }: Voucher, direction: 'later' | 'earlier', onDone: (voucher: Voucher) => void) {
  const keys = useRef(new Map<string, string>())
  const move = useMutation({ ...moveVoucherEnd(id), onSuccess: onDone })
  return {
    ...move,
    mutate: ({ valid_until }: ProposedEnd) => {
      const idempotencyKey = keys.current.get(valid_until) ?? randomKey()
      keys.current.set(valid_until, idempotencyKey)
      move.mutate({ valid_until, direction, idempotencyKey })
    },
  }
}
