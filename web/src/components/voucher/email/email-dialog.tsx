import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { isNotEmpty } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Message, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { firstGuestLanguage } from '../../../guest-languages-by-name.ts'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { createMessage } from '../../../queries/messages.ts'
import { Dialog, DialogForm } from '../../dialog.tsx'
import { LanguageSelect } from './language-select.tsx'
import { MessageOutcome } from './message-outcome.tsx'

type Props = { voucher: Voucher; guestInfo: GuestInfo; onClose: () => void }

/** Asks for the address, and says what the mail server answered. */
export function EmailDialog({ voucher, guestInfo, onClose }: Props) {
  const { t } = useTranslation()
  const [sent, setSent] = useState<Message>()
  const { form, ...save } = useSaveForm({
    initialValues: { email: '', language: firstGuestLanguage(guestInfo) },
    validate: { email: isNotEmpty(t('voucher-email.missing')) },
    toFields: ({ email, language }) => ({ email: email.trim(), language }),
    create: createMessage(voucher),
    fields: { invalid_request: 'email' },
    texts: { invalid_request: t('voucher-email.wrong-address') },
    onSaved: setSent,
  })
  return (
    <Dialog onClose={onClose} title={t('voucher-email.title', { name: voucher.name })}>
      {sent ? (
        <Sent voucher={voucher} sent={sent} onClose={onClose} />
      ) : (
        <DialogForm form={save} action={t('voucher-email.send')} onClose={onClose}>
          <TextInput
            type="email"
            size="md"
            label={t('voucher-email.to')}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <LanguageSelect
            language={form.values.language}
            onChange={(language) => form.setFieldValue('language', language)}
          />
          <Text fz={13.5} c="dimmed">
            {t('voucher-email.what')}
          </Text>
        </DialogForm>
      )}
    </Dialog>
  )
}

type SentProps = { voucher: Voucher; sent: Message; onClose: () => void }

function Sent({ voucher, sent, onClose }: SentProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <MessageOutcome voucher={voucher} sent={sent} />
      <Group className="dialog-actions" justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {t('actions.close')}
        </Button>
      </Group>
    </Stack>
  )
}
