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
  'limit_reached',
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

/** Orders the states of messages, as a sentence names them. */
const mailStates = ['accepted', 'waiting', 'rejected', 'expired', 'cancelled'] as const
type MailState = (typeof mailStates)[number]

/** The state of the message of a row; null if it has none. States that a newer version of the service has added are left out. */
export function mailStateOf({ message_state: state }: Pick<BatchRow, 'message_state'>): MailState | null {
  return mailStates.find((known) => known === (state === 'prepared' ? 'waiting' : state)) ?? null
}

/** "19 e-mails: 17 accepted by the mail server, 2 waiting." Null if there are none. */
export function mailWords(t: TFunction, rows: BatchRow[]): string | null {
  const states = rows.map(mailStateOf).filter((state) => state !== null)
  if (states.length === 0) return null
  const parts = mailStates.flatMap((state) => {
    const count = states.filter((one) => one === state).length
    return count > 0 ? [t(`many.mail-${state}`, { count })] : []
  })
  return t('many.mails', { count: states.length, states: parts.join(', ') })
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
