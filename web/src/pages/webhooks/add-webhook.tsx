import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CreatedWebhook } from '../../../../client/voucher-api.generated.ts'
import { FormDialog, SecretOnce } from '../../components/dialog.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { createWebhook } from '../../queries/webhook-changes.ts'
import { usePerson } from '../../session.tsx'
import { useScope } from '../../sites.ts'
import { WebhookFields, type WebhookValues, webhookChecks } from './webhook-fields.tsx'

type Props = { onClose: () => void; onAdded: (webhook: CreatedWebhook) => void }

/** Adds a webhook. A signed one shows its secret once. */
export function AddWebhook({ onClose, onAdded }: Props) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const { site } = useScope()
  const [created, setCreated] = useState<CreatedWebhook>()
  const { form, ...save } = useSaveForm({
    initialValues: {
      name: '',
      format: 'generic',
      url: '',
      events: ['voucher.created'],
      sites: site ? [site.id] : role === 'admin' ? 'all' : [],
      language: currentLanguage(),
    } as WebhookValues,
    ...webhookChecks(t, { isNew: true }),
    toFields: ({ sites, url, name, ...chosen }) => ({
      ...chosen,
      url: url.trim(),
      name: name.trim(),
      ...(sites !== 'all' && { site_ids: sites }),
    }),
    create: createWebhook,
    onSaved: (webhook) => {
      if (!webhook) return
      onAdded(webhook)
      if (webhook.secret === null) onClose()
      else setCreated(webhook)
    },
  })
  if (created?.secret)
    return (
      <SecretOnce
        onDone={onClose}
        title={t('webhooks.secret-title', { name: created.name })}
        text={t('webhooks.secret-text')}
        secret={created.secret}
        stored={t('webhooks.secret-stored')}
      />
    )
  return (
    <FormDialog onClose={onClose} title={t('webhooks.add')} form={save} action={t('webhooks.add')} size={560}>
      <WebhookFields form={form} isNew />
    </FormDialog>
  )
}
