import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import { Dialog } from './dialog.tsx'
import { SignInMethods } from './sign-in-methods.tsx'

type Props = { opened: boolean; person: Person; onSignedIn: (person: Person) => void }

/** Covers a page whose session ended. The page stays as it is. The dialog cannot be closed without signing in. */
export function SignInDialog({ opened, person, onSignedIn }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={() => {}} title={t('sign-in.ended')} size={400} isSticky isCovering>
      <Text c="dimmed" mb="md">
        {t('sign-in.ended-text')}
      </Text>
      <SignInMethods person={person} onSignedIn={onSignedIn} />
    </Dialog>
  )
}
