import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RotatedSecret, Webhook } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { ConfirmDialog, Dialog, DialogActions, SecretOnce } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useLongTime } from './banner.tsx'
import { useWebhookChange } from './webhook-data.ts'
import {
  fieldProblem,
  formValuesOf,
  isWebAddress,
  toWebhookChange,
  UrlField,
  WebhookFields,
  type WebhookValues,
} from './webhook-fields.tsx'

type Props = { webhook: Webhook; onClose: () => void }

export function EditDialog({ webhook, onClose }: Props) {
  const { t } = useTranslation()
  const [before] = useState(() => formValuesOf(webhook)) // `webhook` changes when the list is loaded again
  const save = useWebhookChange(async (values: WebhookValues) => {
    const change = toWebhookChange(before, values)
    if (change) await api.updateWebhook(webhook.id, change)
  }, onClose)
  return (
    <Dialog opened onClose={onClose} title={t('webhooks.edit-title', { name: webhook.name })} size={560}>
      <Text c="dimmed" fz={13.5} mb="sm">
        {t('webhooks.sites-removed')}
      </Text>
      <WebhookFields
        initial={before}
        isNew={false}
        action={t('webhooks.save')}
        error={save.error}
        isBusy={save.isPending}
        onSubmit={(values) => save.mutate(values)}
        onCancel={onClose}
      />
    </Dialog>
  )
}

/** The address is write-only: there is nothing to show but the new one. */
export function UrlDialog({ webhook, onClose }: Props) {
  const { t } = useTranslation()
  const [url, setUrl] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const save = useWebhookChange(() => api.updateWebhook(webhook.id, { url: url.trim() }), onClose)
  const submit = () => {
    setIsChecked(true)
    if (isWebAddress(url)) save.mutate(undefined)
  }
  return (
    <Dialog opened onClose={onClose} title={t('webhooks.change-url-title', { name: webhook.name })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="md">
          <Text c="dimmed">{t('webhooks.change-url-text')}</Text>
          <UrlField
            value={url}
            onChange={setUrl}
            error={
              (isChecked && !isWebAddress(url) && t('webhooks.missing-url')) || fieldProblem(save.error, 'url') || false
            }
          />
          {save.error && !fieldProblem(save.error, 'url') && <ErrorMessage error={save.error} />}
          <DialogActions onCancel={onClose}>
            <Button type="submit" loading={save.isPending}>
              {t('webhooks.change-url')}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Creates a new secret after a confirmation, and shows it once. */
export function RotateDialog({ webhook, onClose }: Props) {
  const { t } = useTranslation()
  const longTime = useLongTime()
  const [rotated, setRotated] = useState<RotatedSecret>()
  const rotate = useWebhookChange(() => api.rotateWebhookSecret(webhook.id), setRotated)
  if (rotated)
    return (
      <SecretOnce
        opened
        onDone={onClose}
        title={t('webhooks.secret-title', { name: webhook.name })}
        text={t('webhooks.secret-text')}
        secret={rotated.secret}
        stored={t('webhooks.secret-stored')}
      >
        <Text>{t('webhooks.both-secrets', { time: longTime(rotated.previous_secret_until) })}</Text>
      </SecretOnce>
    )
  const until = webhook.previous_secret_until
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('webhooks.rotate-title')}
      action={t('webhooks.rotate-submit')}
      onConfirm={() => rotate.mutate(undefined)}
      isBusy={rotate.isPending}
      error={rotate.error}
    >
      {t('webhooks.rotate-text')} {until && t('webhooks.rotate-again', { time: longTime(until) })}
    </ConfirmDialog>
  )
}

export function RemoveDialog({ webhook, onClose, onRemoved }: Props & { onRemoved: () => void }) {
  const { t } = useTranslation()
  const remove = useWebhookChange(() => api.deleteWebhook(webhook.id), onRemoved)
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('webhooks.remove-title', { name: webhook.name })}
      action={t('webhooks.remove-submit')}
      onConfirm={() => remove.mutate(undefined)}
      isBusy={remove.isPending}
      error={remove.error}
    >
      {t('webhooks.remove-text')}
    </ConfirmDialog>
  )
}
