import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RotatedSecret, Webhook } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog, FormDialog, SecretOnce } from '../../components/dialog.tsx'
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
  const { form, ...save } = useSaveForm({
    initialValues: formValuesOf(webhook),
    ...webhookChecks(t, { isNew: false }),
    toFields: changeableFields,
    update: updateWebhook(webhook.id),
    onSaved: onClose,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('webhooks.edit-title', { name: webhook.name })}
      form={save}
      action={t('webhooks.save')}
      size={560}
    >
      <Text c="dimmed" fz={13.5}>
        {t('webhooks.sites-removed')}
      </Text>
      <WebhookFields form={form} isNew={false} />
    </FormDialog>
  )
}

/** The address is write-only: there is nothing to show but the new one. */
export function UrlDialog({ webhook, onClose }: Props) {
  const { t } = useTranslation()
  const { form, ...save } = useSaveForm({
    initialValues: { url: '' },
    validate: { url: (url) => (isWebAddress(url) ? null : t('webhooks.missing-url')) },
    toFields: ({ url }) => ({ url: url.trim() }),
    update: updateWebhook(webhook.id),
    onSaved: onClose,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('webhooks.change-url-title', { name: webhook.name })}
      form={save}
      action={t('webhooks.change-url')}
    >
      <Text c="dimmed">{t('webhooks.change-url-text')}</Text>
      <UrlField {...form.getInputProps('url')} />
    </FormDialog>
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
      onClose={onClose}
      title={t('webhooks.rotate-title')}
      action={t('webhooks.rotate-submit')}
      mutation={rotate}
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
      onClose={onClose}
      title={t('webhooks.remove-title', { name: webhook.name })}
      action={t('webhooks.remove-submit')}
      mutation={remove}
    >
      {t('webhooks.remove-text')}
    </ConfirmDialog>
  )
}
