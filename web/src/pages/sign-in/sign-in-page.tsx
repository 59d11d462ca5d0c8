import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CardPage } from '../../components/card-page.tsx'
import { Redirect } from '../../components/redirect.tsx'
import { SignInForm } from '../../components/sign-in-form.tsx'
import { ErrorPage, LoadingPage } from '../../components/state-pages.tsx'
import { UnencryptedLine, UnencryptedPage } from '../../components/unencrypted.tsx'
import { sessionQuery, useSignedIn } from '../../session.tsx'

export function SignInPage() {
  const { t } = useTranslation()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const { next = '/desk' } = useSearch({ from: '/sign-in' })
  const [isRefused, setIsRefused] = useState(false)
  const signedIn = useSignedIn()

  if (session === undefined) return error ? <ErrorPage error={error} reset={() => void refetch()} /> : <LoadingPage />
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
