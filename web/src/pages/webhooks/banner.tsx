import { Button, CloseButton, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Webhook, WebhookTest } from '../../../../client/voucher-api.generated.ts'
import { Notice } from '../../components/notice.tsx'
import { useErrorTexts } from '../../components/state-pages.tsx'
import { timeWords } from '../../components/voucher/voucher-words.ts'
import { orValue } from '../../newer-values.ts'
import { enableWebhook } from '../../queries/webhook-changes.ts'
import { useScopeZone } from '../../sites.ts'
import { meaningOf, noStatus } from './webhook-data.ts'

type Outcome = Pick<WebhookTest, 'status' | 'failure'>

/** The answer of the receiver in words, for example "Slack answers 404." */
function useHeadline(name: string) {
  const { t } = useTranslation()
  return ({ status, failure }: Outcome) =>
    failure === 'status' && status !== null
      ? t('webhooks.answers', { name, status })
      : t(`webhooks.failed-${noStatus(failure)}`)
}

/** Formats a time as part of a sentence, with weekday and date, for example "Tue 17 Nov, 12:30". */
export function useLongTime() {
  const timeZone = useScopeZone()
  return (at: string) => timeWords(at, timeZone)
}

type Props = { webhook: Webhook; mayChange: boolean; onChangeUrl: () => void }

/** Says what the receiver answers, what that usually means and when the webhook will be disabled. */
export function FailureBanner({ webhook, mayChange, onChangeUrl }: Props) {
  const { t } = useTranslation()
  const longTime = useLongTime()
  const headline = useHeadline(webhook.name)
  const { last_failure: failure, disabled_from } = webhook
  if (webhook.disabled_at) return <DisabledBanner webhook={webhook} mayChange={mayChange} />
  if (!webhook.failing_since || !failure) return null
  return (
    <Notice
      tone="bad"
      role="status"
      title={headline(failure)}
      action={
        mayChange && (
          <Button variant="default" onClick={onChangeUrl}>
            {t('webhooks.change-url')}
          </Button>
        )
      }
    >
      {t(`webhooks.why-${meaningOf(failure)}`)}{' '}
      {disabled_from && t('webhooks.disabled-from', { time: longTime(disabled_from) })}
    </Notice>
  )
}

function DisabledBanner({ webhook, mayChange }: Omit<Props, 'onChangeUrl'>) {
  const { t } = useTranslation()
  const longTime = useLongTime()
  const headline = useHeadline(webhook.name)
  const enable = useMutation(enableWebhook(webhook.id))
  const { disabled_at, disabled_cause, last_failure: failure } = webhook
  return (
    <Notice
      tone="bad"
      role="status"
      title={t('webhooks.disabled-since', { time: longTime(disabled_at as string) })}
      action={
        mayChange && (
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            {t('webhooks.enable')}
          </Button>
        )
      }
    >
      {disabled_cause && t(`webhooks.cause-${disabled_cause}`, orValue(disabled_cause))}{' '}
      {failure && disabled_cause === 'failing' && `${headline(failure)} `}
      {failure && t(`webhooks.why-${meaningOf(failure)}`)} {t('webhooks.enable-text')}
      {enable.error && <Problem error={enable.error} />}
    </Notice>
  )
}

function Problem({ error }: { error: unknown }) {
  const { title, text } = useErrorTexts(error)
  return (
    <Text fz={13.5} c="var(--vs-bad-text)" role="alert">
      {title}: {text}
    </Text>
  )
}

/** The answer of the receiver to a test. */
export function TestResult({ name, result, onClose }: { name: string; result: WebhookTest; onClose: () => void }) {
  const { t } = useTranslation()
  const headline = useHeadline(name)
  return (
    <Notice
      tone={result.arrived ? 'ok' : 'bad'}
      role="status"
      title={t(result.arrived ? 'webhooks.test-arrived' : 'webhooks.test-failed')}
      action={<CloseButton aria-label={t('webhooks.close-test')} onClick={onClose} />}
    >
      {result.status !== null && t('webhooks.test-time', { status: result.status, ms: result.duration_ms })}{' '}
      {!result.arrived && result.status === null && `${headline(result)} `}
      {!result.arrived && t(`webhooks.why-${meaningOf(result)}`)}
      {result.answer !== null && (
        <div>
          {t('webhooks.test-first-line')} <code>{result.answer}</code>
        </div>
      )}
    </Notice>
  )
}
