import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { GuestInfo, Message, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../../api.ts'
import { firstGuestLanguage } from '../../../guest-languages-by-name.ts'
import { useFocusAfter } from '../../../hooks/use-focus-after.ts'
import { createMessage } from '../../../queries/messages.ts'
import { Dialog, DialogActions } from '../../dialog.tsx'
import { ErrorMessage } from '../../state-pages.tsx'
import { LanguageSelect } from './language-select.tsx'
import { MessageOutcome } from './message-outcome.tsx'

type Props = { voucher: Voucher; guestInfo: GuestInfo; onClose: () => void }

/** Asks for the address, and says what the mail server answered. */
export function EmailDialog({ voucher, guestInfo, onClose }: Props) {
  const { t } = useTranslation()
  const [email, setEmail] = useState('')
  const [isTried, setIsTried] = useState(false)
  const [language, setLanguage] = useState<GuestLanguage>(() => firstGuestLanguage(guestInfo))
  const send = useMutation(createMessage(voucher))
  const button = useFocusAfter(send.error)
  const isMissing = isTried && email.trim() === ''
  const isWrong = send.error !== null && toApiError(send.error).status === 400
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (email.trim() !== '') send.mutate({ email: email.trim(), language })
  }
  return (
    <Dialog onClose={onClose} title={t('voucher-email.title', { name: voucher.name })}>
      {send.data ? (
        <Sent voucher={voucher} sent={send.data} onClose={onClose} />
      ) : (
        <form noValidate onSubmit={submit}>
          <Stack gap="md">
            <TextInput
              type="email"
              size="md"
              label={t('voucher-email.to')}
              autoComplete="off"
              data-autofocus
              value={email}
              error={isMissing ? t('voucher-email.missing') : isWrong && t('voucher-email.wrong-address')}
              onChange={(event) => {
                send.reset()
                setEmail(event.currentTarget.value)
              }}
            />
            <LanguageSelect language={language} onChange={setLanguage} />
            <Text fz={13.5} c="dimmed">
              {t('voucher-email.what')}
            </Text>
            {send.error && !isWrong && <ErrorMessage error={send.error} />}
            <DialogActions onCancel={onClose}>
              <Button ref={button} type="submit" loading={send.isPending}>
                {t('voucher-email.send')}
              </Button>
            </DialogActions>
          </Stack>
        </form>
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
