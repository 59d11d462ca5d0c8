import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CreatedWebhook } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { Dialog, SecretOnce } from '../../components/dialog.tsx'
import { currentLanguage } from '../../i18n/i18n.ts'
import { usePerson } from '../../session.tsx'
import { useScope } from '../../sites.ts'
import { useWebhookChange } from './webhook-data.ts'
import { WebhookFields, type WebhookValues } from './webhook-fields.tsx'

type Props = { onClose: () => void; onAdded: (webhook: CreatedWebhook) => void }

/** Adds a webhook. A signed one shows its secret once. */
export function AddWebhook({ onClose, onAdded }: Props) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const { site } = useScope()
  const [created, setCreated] = useState<CreatedWebhook>()
  const add = useWebhookChange(
    ({ sites, url, name, ...chosen }: WebhookValues) =>
      api.createWebhook({ ...chosen, url: url.trim(), name: name.trim(), ...(sites !== 'all' && { site_ids: sites }) }),
    (webhook) => {
      onAdded(webhook)
      if (webhook.secret === null) onClose()
      else setCreated(webhook)
    },
  )
  if (created?.secret)
    return (
      <SecretOnce
        opened
        onDone={onClose}
        title={t('webhooks.secret-title', { name: created.name })}
        text={t('webhooks.secret-text')}
        secret={created.secret}
        stored={t('webhooks.secret-stored')}
      />
    )
  const initial: WebhookValues = {
    name: '',
    format: 'generic',
    url: '',
    events: ['voucher.created'],
    sites: site ? [site.id] : role === 'admin' ? 'all' : [],
    language: currentLanguage(),
  }
  return (
    <Dialog opened onClose={onClose} title={t('webhooks.add')} size={560}>
      <WebhookFields
        initial={initial}
        isNew
        action={t('webhooks.add')}
        error={add.error}
        isBusy={add.isPending}
        onSubmit={(values) => add.mutate(values)}
        onCancel={onClose}
      />
    </Dialog>
  )
}
