import { Button, Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Webhook } from '../../../../client/voucher-api.generated.ts'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { failedSinceQuery } from '../../queries/webhook-changes.ts'

const hours = { hour: 1, day: 24, week: 7 * 24, all: 31 * 24 }
type Period = keyof typeof hours

type Props = {
  webhook: Webhook
  isBusy: boolean
  error: unknown
  onReplay: (since: string) => void
  onClose: () => void
}

/** Asks for the start of the period, and shows how many deliveries failed since then. */
export function ReplayDialog({ webhook, isBusy, error, onReplay, onClose }: Props) {
  const { t } = useTranslation()
  const [openedAt] = useState(() => Date.now())
  const [period, setPeriod] = useState<Period>('all')
  const since = new Date(openedAt - hours[period] * 3_600_000).toISOString()
  const { data: count, error: countError } = useQuery(failedSinceQuery(webhook.id, since))
  return (
    <Dialog onClose={onClose} title={t('webhooks.replay-title')}>
      <Stack gap="md">
        <Text>{t('webhooks.replay-text')}</Text>
        <Radio.Group label={t('webhooks.replay-since')} value={period} onChange={(value) => setPeriod(value as Period)}>
          <Stack gap={8} mt={4}>
            {(['hour', 'day', 'week', 'all'] as const).map((one) => (
              <Radio key={one} value={one} label={t(`webhooks.since-${one}`)} />
            ))}
          </Stack>
        </Radio.Group>
        {count === 0 && <Text role="status">{t('webhooks.replay-none')}</Text>}
        {(error ?? countError) ? <ErrorMessage error={error ?? countError} /> : null}
        <DialogActions onCancel={onClose}>
          <Button disabled={!count} loading={isBusy} onClick={() => onReplay(since)}>
            {t('webhooks.replay-count', { count: count ?? 0 })}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  )
}
