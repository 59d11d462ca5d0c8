import { Modal, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import { useLayout } from '../hooks/use-layout.ts'
import { SignInForm } from './sign-in-form.tsx'

type Props = { opened: boolean; email: string; onSignedIn: (person: Person) => void }

/** Opens over a page whose session ended. The page stays as it is. The dialog cannot be closed without signing in. */
export function SignInDialog({ opened, email, onSignedIn }: Props) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  return (
    <Modal
      opened={opened}
      onClose={() => {}}
      title={t('sign-in.ended')}
      size={400}
      fullScreen={isPhone}
      zIndex={400}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Text c="dimmed" mb="md">
        {t('sign-in.ended-text')}
      </Text>
      <SignInForm email={email} onSignedIn={onSignedIn} />
    </Modal>
  )
}
