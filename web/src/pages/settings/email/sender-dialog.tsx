import { Anchor, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { MailSender, MailSettings } from '../../../../../client/voucher-api.generated.ts'
import { FormDialog } from '../../../components/dialog.tsx'
import { SiteSelect } from '../../../components/site-select.tsx'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { deleteMailSender, updateMailSender } from '../../../queries/mail.ts'

/** A sender to change; `siteId` is null for all other sites. Without a site, the person chooses one. */
export type ChosenSender = { siteId?: number | null; name?: string; sender?: MailSender | null }

type Props = { settings: MailSettings; chosen: ChosenSender; onClose: () => void }

export function SenderDialog({ settings, chosen, onClose }: Props) {
  const { t } = useTranslation()
  const { siteId, name, sender } = chosen
  const isNew = siteId === undefined
  const done = () => {
    notifications.show({ message: t('actions.saved') })
    onClose()
  }
  const required = (value: string) => (value.trim() === '' ? t('email.fill-in') : null)
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: {
      site: '',
      name: sender?.name ?? '',
      address: sender?.address ?? '',
      reply_to: sender?.reply_to ?? '',
    },
    validate: {
      site: (site) => (isNew && site === '' ? t('desk.choose-site') : null),
      name: required,
      address: required,
    },
    toFields: ({ site, reply_to, name, address }) => ({
      siteId: isNew ? Number(site) : siteId,
      sender: { name: name.trim(), address: address.trim(), reply_to: reply_to.trim() === '' ? null : reply_to.trim() },
    }),
    create: updateMailSender,
    onSaved: done,
  })
  const remove = useMutation({ ...deleteMailSender, onSuccess: done })
  const address = { inputMode: 'email', autoCapitalize: 'off', autoComplete: 'off', spellCheck: false } as const
  return (
    <FormDialog
      onClose={onClose}
      title={isNew ? t('email.sender-new') : t('email.sender-of', { site: name })}
      form={{ element, isSaving, error: error ?? remove.error }}
      action={t('actions.save')}
    >
      {isNew && <FreeSite settings={settings} field={form.getInputProps('site')} />}
      <TextInput
        label={t('email.sender-name')}
        description={t('email.sender-name-what')}
        autoComplete="off"
        {...(!isNew && { 'data-autofocus': true })}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('email.sender-address')}
        description={t('email.sender-address-what')}
        {...address}
        {...form.getInputProps('address')}
      />
      <TextInput
        label={t('email.reply-to')}
        description={t('email.reply-to-what')}
        {...address}
        {...form.getInputProps('reply_to')}
      />
      {!isNew && sender && (
        <Anchor
          component="button"
          type="button"
          fz={13.5}
          ta="left"
          disabled={remove.isPending}
          onClick={() => remove.mutate(siteId)}
        >
          {t(siteId === null ? 'email.sender-remove' : 'email.sender-remove-site')}
        </Anchor>
      )}
    </FormDialog>
  )
}

/** The sites that have no sender of their own. */
function FreeSite({ settings, field }: { settings: MailSettings; field: object }) {
  const { t } = useTranslation()
  return (
    <SiteSelect
      data-autofocus
      label={t('email.site')}
      placeholder={t('desk.choose-site')}
      without={settings.senders.map(({ site_id: id }) => id)}
      withInactive
      {...field}
    />
  )
}
