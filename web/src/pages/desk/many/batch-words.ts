import type { TFunction } from 'i18next'
import type { Batch, BatchRow } from '../../../../../client/voucher-api.generated.ts'

const reasons = [
  'unreachable',
  'insecure',
  'sign_in',
  'forbidden',
  'rejected',
  'missing',
  'no_voucher',
  'valid_until_passed',
  'site_inactive',
  'key_revoked',
] as const

type Reason = (typeof reasons)[number] | 'other'

/** The reason of a failed row. `other` for reasons that a newer version of the service has added. */
export function reasonOf({ failure }: Pick<BatchRow, 'failure'>): Reason {
  return reasons.find((reason) => reason === failure) ?? 'other'
}

/** The reason of the failed rows, if all of them have the same one. */
export function commonReason(rows: BatchRow[]): Reason | null {
  const found = new Set(rows.filter(({ outcome }) => outcome === 'failed').map(reasonOf))
  return found.size === 1 ? ([...found][0] as Reason) : null
}

/** The rows when the batch is over: failed ones first, cancelled ones last, otherwise by number. */
export function withFailedFirst(rows: BatchRow[]): BatchRow[] {
  const rank = ({ outcome }: BatchRow) => (outcome === 'failed' ? 0 : outcome === 'cancelled' ? 2 : 1)
  return rows.toSorted((a, b) => rank(a) - rank(b) || a.number - b.number)
}

/**
 * The rows while the batch runs: failed ones, then those that are being created, then the newest. Waiting and cancelled
 * rows are left out.
 */
export function newestFirst(rows: BatchRow[], most: number): BatchRow[] {
  const rank = ({ outcome }: BatchRow) => (outcome === 'failed' ? 0 : outcome === 'under_way' ? 1 : 2)
  return rows
    .filter(({ outcome }) => outcome !== 'waiting' && outcome !== 'cancelled')
    .toSorted((a, b) => rank(a) - rank(b) || b.number - a.number)
    .slice(0, most)
}

/** The progress at a moment, for estimates. */
export type Observation = { made: number; at: number }

/**
 * The seconds that are probably left. Null until a tenth is created and this page has seen some progress: the first
 * vouchers say little, and a batch that was stopped for an hour would mislead.
 */
export function secondsLeft({ size, made }: Batch, first: Observation | undefined, now: number): number | null {
  if (!first || made * 10 < size || made <= first.made || now - first.at < 2_000) return null
  const perSecond = ((made - first.made) * 1000) / (now - first.at)
  return (size - made) / perSecond
}

/** "About 20 seconds left": in steps of ten seconds, from a minute and a half on in minutes. */
export function leftWords(t: TFunction, seconds: number): string {
  if (seconds < 90) return t('many.seconds-left', { count: Math.max(10, Math.ceil(seconds / 10) * 10) })
  return t('many.minutes-left', { count: Math.ceil(seconds / 60) })
}
