import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Attempt, Delivery } from '../../../../client/voucher-api.generated.ts'
import { Moment } from '../../components/moment.tsx'
import { formatDistance } from '../../formats.ts'
import { entryFor, orValue } from '../../newer-values.ts'
import { noStatus } from './webhook-data.ts'
import classes from './webhooks.module.css'

const tones = { pending: 'warn', delivered: 'ok', failed: 'bad' }

export function StateCell({ state }: Pick<Delivery, 'state'>) {
  const { t } = useTranslation()
  return (
    <Group component="span" gap={8} wrap="nowrap" display="inline-flex">
      <span className={classes.dot} data-tone={entryFor(tones, state, 'off')} aria-hidden />
      {t(`webhooks.state-${state}`, orValue(state))}
    </Group>
  )
}

/** The status or the kind of failure, and the duration. Without an answer, durations below one second are left out. */
export function AnswerCell({ attempt }: { attempt: Attempt | undefined }) {
  const { t } = useTranslation()
  if (!attempt) return <span>{t('webhooks.no-attempt')}</span>
  const { status, failure, duration_ms: ms } = attempt
  return (
    <span>
      <Text span fz="inherit" fw={500} {...(failure && { c: 'var(--vs-bad-text)' })}>
        {failure && failure !== 'status' ? t(`webhooks.short-${noStatus(failure)}`) : status}
      </Text>{' '}
      {(status !== null || ms >= 1_000) && (
        <Text span fz="inherit" c="dimmed">
          {ms < 10_000
            ? t('webhooks.milliseconds', { count: ms })
            : t('webhooks.seconds', { count: Math.round(ms / 1000) })}
        </Text>
      )}
    </span>
  )
}

export function AttemptsCell({ row }: { row: Delivery }) {
  const { t } = useTranslation()
  const { state, failed_attempts, max_attempts: max, next_attempt_at } = row
  const parts = [t('webhooks.of-attempts', { count: failed_attempts + (state === 'delivered' ? 1 : 0), max })]
  if (state === 'failed') parts.push(t('webhooks.given-up'))
  if (state === 'pending' && next_attempt_at) parts.push(t('webhooks.next', { time: untilWords(next_attempt_at) }))
  return <span>{parts.join(' · ')}</span>
}

/** "in 4 min" or "in 2 hr". */
function untilWords(at: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(at) - Date.now()) / 1000))
  if (seconds < 60) return formatDistance(seconds, 'second')
  if (seconds < 3600) return formatDistance(Math.round(seconds / 60), 'minute')
  return formatDistance(Math.round(seconds / 3600), 'hour')
}

/** The content of an open row: each attempt with the first line of the answer. */
export function AttemptsOf({ row, timeZone, children }: { row: Delivery; timeZone: string; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.log}>
      {row.attempts.map((attempt) => (
        <li key={attempt.attempt}>
          {t('webhooks.attempt', { number: attempt.attempt })} · <Moment at={attempt.started_at} timeZone={timeZone} />{' '}
          · <AnswerCell attempt={attempt} />
          {attempt.status !== null && (
            <Text component="div" fz={13} c="dimmed">
              {attempt.answer === null ? t('webhooks.no-answer-text') : <code>{attempt.answer}</code>}
            </Text>
          )}
          {attempt.error && (
            <Text component="div" fz={13} c="dimmed">
              <code>{attempt.error}</code>
            </Text>
          )}
        </li>
      ))}
      {row.attempts.length === 0 && <li>{t('webhooks.no-attempt')}</li>}
      <li>
        {t('webhooks.webhook-id')} <code>{row.event_id}</code>
      </li>
      {children && <li>{children}</li>}
    </ul>
  )
}
