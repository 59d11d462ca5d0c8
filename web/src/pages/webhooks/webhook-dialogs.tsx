import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RotatedSecret, Webhook } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog, Dialog, DialogActions, SecretOnce } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../queries/webhook-changes.ts'
import { useLongTime } from './banner.tsx'
import {
  changeableFields,
  formValuesOf,
  isWebAddress,
  UrlField,
  WebhookFields,
  webhookChecks,
} from './webhook-fields.tsx'

type Props = { webhook: Webhook; onClose: () => void }

export function EditDialog({ webhook, onClose }: Props) {
  const { t } = useTranslation()
  const form = useSaveForm({
    initialValues: formValuesOf(webhook),
    ...webhookChecks(t, { isNew: false }),
    toFields: changeableFields,
    update: updateWebhook(webhook.id),
    onSaved: onClose,
  })
  return (
    <Dialog opened onClose={onClose} title={t('webhooks.edit-title', { name: webhook.name })} size={560}>
      <Text c="dimmed" fz={13.5} mb="sm">
        {t('webhooks.sites-removed')}
      </Text>
      <WebhookFields {...form} isNew={false} action={t('webhooks.save')} onCancel={onClose} />
    </Dialog>
  )
}

/** The address is write-only: there is nothing to show but the new one. */
export function UrlDialog({ webhook, onClose }: Props) {
  const { t } = useTranslation()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: { url: '' },
    validate: { url: (url) => (isWebAddress(url) ? null : t('webhooks.missing-url')) },
    toFields: ({ url }) => ({ url: url.trim() }),
    update: updateWebhook(webhook.id),
    onSaved: onClose,
  })
  return (
    <Dialog opened onClose={onClose} title={t('webhooks.change-url-title', { name: webhook.name })}>
      <form {...element}>
        <Stack gap="md">
          <Text c="dimmed">{t('webhooks.change-url-text')}</Text>
          <UrlField {...form.getInputProps('url')} />
          {error && <ErrorMessage error={error} />}
          <DialogActions onCancel={onClose}>
            <Button type="submit" loading={isSaving}>
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
  const rotate = useMutation({ ...rotateWebhookSecret(webhook.id), onSuccess: setRotated })
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
      onConfirm={() => rotate.mutate()}
      isBusy={rotate.isPending}
      error={rotate.error}
    >
      {t('webhooks.rotate-text')} {until && t('webhooks.rotate-again', { time: longTime(until) })}
    </ConfirmDialog>
  )
}

export function RemoveDialog({ webhook, onClose, onRemoved }: Props & { onRemoved: () => void }) {
  const { t } = useTranslation()
  const remove = useMutation({ ...deleteWebhook(webhook.id), onSuccess: onRemoved })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('webhooks.remove-title', { name: webhook.name })}
      action={t('webhooks.remove-submit')}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      error={remove.error}
    >
      {t('webhooks.remove-text')}
    </ConfirmDialog>
  )
}
