import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Webhook } from '../../../../client/voucher-api.generated.ts'
import { Moment } from '../../components/moment.tsx'
import { SearchField } from '../../components/table/filters.tsx'
import { orValue } from '../../newer-values.ts'
import { useScopeZone } from '../../sites.ts'
import { useLongTime } from './banner.tsx'
import classes from './webhooks.module.css'

const searchFrom = 8

type Props = { webhooks: Webhook[]; chosenId: string | undefined; onChoose: (id: string) => void }

export function WebhookList({ webhooks, chosenId, onChoose }: Props) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const found = webhooks.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <Stack gap="sm">
      {webhooks.length >= searchFrom && (
        <SearchField value={text} onChange={setText} placeholder={t('webhooks.search')} />
      )}
      {found.length === 0 && <Text c="dimmed">{t('webhooks.no-match', { text })}</Text>}
      {found.length > 0 && (
        <ul className={classes.list} aria-label={t('webhooks.list')}>
          {found.map((webhook) => (
            <li key={webhook.id}>
              <button
                type="button"
                className={classes.entry}
                aria-current={webhook.id === chosenId || undefined}
                onClick={() => onChoose(webhook.id)}
              >
                <span className={classes.name}>{webhook.name}</span>
                <span className={classes.dot} data-tone={toneOf(webhook)} aria-hidden />
                <span>{t(`webhooks.format-${webhook.format}`, orValue(webhook.format))}</span>
                <StateLine webhook={webhook} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

function toneOf({ disabled_at, failing_since }: Webhook): 'off' | 'bad' | 'ok' {
  if (disabled_at) return 'off'
  return failing_since ? 'bad' : 'ok'
}

function StateLine({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation()
  const longTime = useLongTime()
  const timeZone = useScopeZone()
  const { disabled_at, disabled_cause, failing_since, last_delivered_at } = webhook
  if (disabled_at)
    return (
      <span>
        {t('webhooks.disabled')} <Moment at={disabled_at} timeZone={timeZone} />.{' '}
        {disabled_cause && t(`webhooks.cause-${disabled_cause}`, orValue(disabled_cause))}
      </span>
    )
  if (failing_since)
    return <span className={classes.bad}>{t('webhooks.failing-since', { time: longTime(failing_since) })}</span>
  if (!last_delivered_at) return <span>{t('webhooks.nothing-yet')}</span>
  return (
    <span>
      {t('webhooks.delivered')} <Moment at={last_delivered_at} timeZone={timeZone} />
    </span>
  )
}
