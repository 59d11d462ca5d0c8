import { Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CardPage } from '../../components/card-page.tsx'
import { Redirect } from '../../components/redirect.tsx'
import { SignInForm } from '../../components/sign-in-form.tsx'
import { UnencryptedLine, UnencryptedPage } from '../../components/unencrypted.tsx'
import { useSession, useSignedIn } from '../../session.tsx'

export function SignInPage() {
  const { t } = useTranslation()
  const session = useSession()
  const { next = '/desk' } = useSearch({ from: '/sign-in' })
  const [isRefused, setIsRefused] = useState(false)
  const signedIn = useSignedIn()

  if (session.setup_open) return <Redirect to="/first-run" />
  if (session.person) return <Redirect to={next} />
  if (isRefused || session.transport === 'unencrypted_refused') return <UnencryptedPage />
  return (
    <CardPage title={t('sign-in.title')} subtitle={location.host}>
      <Stack gap={18}>
        <UnencryptedLine />
        <SignInForm onUnencrypted={() => setIsRefused(true)} onSignedIn={signedIn} />
        <Text fz={13.5} c="dimmed">
          {t('sign-in.forgotten')}
        </Text>
      </Stack>
    </CardPage>
  )
}
