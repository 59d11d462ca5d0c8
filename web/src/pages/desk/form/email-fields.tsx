import { ActionIcon, Group, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LanguageSelect } from '../../../components/voucher/email/language-select.tsx'
import { firstGuestLanguage } from '../../../guest-languages-by-name.ts'
import type { EmailProps } from './email-part.tsx'

type Props = EmailProps & { autoFocus: boolean; onClose: () => void }

export function EmailFields({ field, guestInfo, message, isWrong, isLocked, onChange, autoFocus, onClose }: Props) {
  const { t } = useTranslation()
  const { email = '', language = firstGuestLanguage(guestInfo) } = message ?? {}
  return (
    <Group mt="md" gap="xs" align="flex-start">
      <TextInput
        ref={field}
        type="email"
        size="md"
        flex="1 1 220px"
        label={t('voucher-email.to')}
        autoComplete="off"
        enterKeyHint="done"
        autoFocus={autoFocus}
        maxLength={254}
        disabled={isLocked}
        value={email}
        error={isWrong && t('voucher-email.wrong-address')}
        onChange={(event) => onChange({ email: event.currentTarget.value, language })}
      />
      <LanguageSelect
        w={200}
        disabled={isLocked}
        language={language}
        onChange={(next) => onChange({ email, language: next })}
      />
      <ActionIcon
        size={42}
        mt={26}
        variant="subtle"
        color="gray"
        aria-label={t('voucher-email.close')}
        disabled={isLocked}
        onClick={onClose}
      >
        <IconX size={18} />
      </ActionIcon>
    </Group>
  )
}
