import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Voucher, VoucherHistoryEntry } from '../../../../client/voucher-api.generated.ts'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { messageWords } from '../../components/voucher/email/message-words.ts'
import { timeWords } from '../../components/voucher/voucher-words.ts'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { orValue } from '../../newer-values.ts'
import { voucherHistoryQuery } from '../../queries/vouchers.ts'
import classes from './vouchers.module.css'

/** The history of a voucher, newest first. */
export function Timeline({ voucher, timeZone }: { voucher: Voucher; timeZone: string }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(voucherHistoryQuery(voucher))
  const isLate = useDelayed(data === undefined && error === null)
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!data) return isLate ? <Skeleton h={66} /> : null
  return (
    <ol className={classes.timeline}>
      {data.history.map((entry) => (
        <li key={`${entry.type} ${entry.at}`} data-tone={toneOf(entry)}>
          <span>
            {entryWords(t, entry, timeZone).map((words) => (
              <Text key={words} span inherit display="block">
                {words}
              </Text>
            ))}
            {entry.type === 'revocation_requested' && outcomeWords(t, entry) && (
              <Text span display="block" fz={12} c="dimmed">
                {outcomeWords(t, entry)}
              </Text>
            )}
            {entry.message?.answer && (
              <Text span display="block" fz={12} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {entry.message.answer}
              </Text>
            )}
          </span>
          <Text span fz={13} c="dimmed">
            <Moment at={entry.at} timeZone={timeZone} />
          </Text>
        </li>
      ))}
    </ol>
  )
}

function toneOf({ type, outcome, message }: VoucherHistoryEntry): 'plain' | 'accent' | 'bad' | 'warn' {
  if (message) return message.state === 'rejected' || message.state === 'expired' ? 'bad' : 'plain'
  if (type === 'first_used') return 'accent'
  if (type === 'revoked' || outcome === 'failed') return 'bad'
  return outcome === 'pending' ? 'warn' : 'plain'
}

export function entryWords(t: TFunction, entry: VoucherHistoryEntry, timeZone: string): string[] {
  const by = entry.by?.name
  if (entry.message) return [messageWords(t, entry.message), ...(by ? [t('voucher-email.by', { by })] : [])]
  if (entry.type === 'changed') return changeWords(t, entry, timeZone)
  if (entry.type === 'created') return [by ? t('vouchers.created-by', { by }) : t('vouchers.created-on-controller')]
  if (entry.type === 'first_used') return [t('vouchers.first-used')]
  if (entry.type === 'expired') return [t('vouchers.time-over')]
  if (entry.type === 'revocation_requested') return [t('vouchers.revoked-by', { by })]
  if (entry.type !== 'revoked') return [orValue(entry.type).defaultValue]
  return [t(`vouchers.revoked-${entry.reason ?? 'controller'}`, orValue(entry.reason ?? ''))]
}

/** The words of a change: one phrase for each changed field. New names and references are not recorded. */
function changeWords(t: TFunction, { by, changed, changes }: VoucherHistoryEntry, timeZone: string): string[] {
  const who = by?.name ?? ''
  const end = changes?.valid_until
  const time = end ? timeWords(new Date(end), timeZone) : ''
  return [
    ...(end ? [t('vouchers.end-changed', { by: who, time })] : []),
    ...(end === null ? [t('vouchers.end-removed', { by: who })] : []),
    ...(changed?.includes('name') ? [t('vouchers.renamed', { by: who })] : []),
    ...(changed?.includes('reference') ? [t('vouchers.reference-changed', { by: who })] : []),
  ]
}

/** Empty if the entry above says it already. */
function outcomeWords(t: TFunction, { outcome, disconnected }: VoucherHistoryEntry): string {
  if (outcome === 'pending') return t('vouchers.outcome-pending')
  if (outcome === 'failed' || outcome === 'kept') return t('vouchers.outcome-failed')
  if (outcome === 'ended') return t('vouchers.outcome-ended')
  if (disconnected === 'unsupported' || disconnected === 'failed') return t('vouchers.devices-may-stay')
  return disconnected === 'all' ? t('vouchers.devices-signed-out') : ''
}
